/* What glibc's build of libstdc++ and libgcc takes from glibc and musl does not have. The two that convert __float128
   are never called by Node. */
#include <locale.h>
#include <stddef.h>
#include <time.h>

char __libc_single_threaded = 0;
int __cpu_model[4];

extern long getrandom(void *buffer, size_t length, unsigned flags);
extern size_t strftime_l(char *, size_t, const char *, const struct tm *, locale_t);
extern unsigned long strtoul(const char *, char **, int);

int __cpu_indicator_init(void) { return 0; }

unsigned arc4random(void) {
  unsigned value = 0;
  getrandom(&value, sizeof value, 0);
  return value;
}

size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, locale_t locale) {
  return strftime_l(text, size, format, time, locale);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

/* Destructors of thread-local objects are not run: the process ends with its threads. */
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *handle) {
  (void)destroy, (void)object, (void)handle;
  return 0;
}

/* No entry: whoever asks goes by dl_iterate_phdr then. */
int _dl_find_object(void *address, void *result) {
  (void)address, (void)result;
  return -1;
}

void strtof128(void) { __builtin_trap(); }
void strfromf128(void) { __builtin_trap(); }
