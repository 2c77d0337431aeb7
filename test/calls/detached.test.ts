import { describe, expect, it } from 'vitest';
import { asksToDetach } from '../../src/calls/detached.ts';

describe('a command that leaves something behind', () => {
  it.each([
    ['sleep 600 &'],
    ['sleep 600 & '],
    ['sleep 600 &\necho started'],
    ['npm run dev & ; echo x'],
    ['(sleep 600 &)'],
    ['{ sleep 600 & }'],
    ['server & disown'],
    ['sleep 600 & # for later'],
    ['nohup ./server'],
    ['cd x && nohup ./server > log 2>&1'],
    ['PORT=3 setsid ./server'],
    ['if true; then setsid ./server; fi'],
    ['nginx --daemon'],
    ['redis-server --daemonize yes'],
  ])('is %j', (command) => {
    expect(asksToDetach(command)).toBe(true);
  });

  it.each([
    ['make && make test'],
    ['make > log 2>&1'],
    ['make &> log'],
    ['echo "sleep 600 &"'],
    ["echo 'nohup x'"],
    ['grep nohup file'],
    ['echo a \\&'],
    ['sleep 1 # nohup &'],
    ['cat a & cat b'],
    ['curl "http://x/?a=1&b=2"'],
    ['man setsid'],
    ['echo --daemon-free'],
    [''],
  ])('is not %j', (command) => {
    expect(asksToDetach(command)).toBe(false);
  });
});
