/**
 * True if the locale of this environment writes UTF-8, by the order of setlocale(3): LC_ALL, LC_CTYPE, LANG, the first
 * that is set and not empty. Without any it is the C locale: ASCII.
 */
export function isUtf8Locale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value);
  return /utf-?8/i.test(locale ?? '');
}
