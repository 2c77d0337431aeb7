import { describe, expect, it } from 'vitest';
import { decideSignal, type SignalSituation } from '../../src/launch/signal-policy.ts';
import type { HandledSignal } from '../../src/platform/starter.ts';

const onTerminal: SignalSituation = { isEnding: false, isForeground: true, hadTerminal: true, endsTree: true };
const offTerminal: SignalSituation = { ...onTerminal, isForeground: false, hadTerminal: false };

describe('decideSignal', () => {
  it.each<[string, HandledSignal, SignalSituation, ReturnType<typeof decideSignal>]>([
    ["the terminal's Ctrl-C has reached the agent: wait", 'SIGINT', onTerminal, 'wait'],
    ["the terminal's Ctrl-\\ has reached the agent: wait", 'SIGQUIT', onTerminal, 'wait'],
    ['Ctrl-Break has reached the agent of the same console: wait', 'SIGBREAK', onTerminal, 'wait'],
    ['INT without a terminal came to us alone: forward', 'SIGINT', offTerminal, 'forward'],
    ['INT in the background came to us alone: forward', 'SIGINT', { ...onTerminal, isForeground: false }, 'forward'],
    ['TERM ends the tree', 'SIGTERM', offTerminal, 'end'],
    ['TERM is only forwarded if the tree is to be kept', 'SIGTERM', { ...offTerminal, endsTree: false }, 'forward'],
    ['HUP with a terminal waits for what the kernel does', 'SIGHUP', onTerminal, 'hang-up'],
    ['HUP without a terminal ends the tree too', 'SIGHUP', offTerminal, 'hang-up'],
    ['HUP is only forwarded if nothing is to be ended', 'SIGHUP', { ...offTerminal, endsTree: false }, 'forward'],
    ['USR1 is forwarded', 'SIGUSR1', onTerminal, 'forward'],
    ['USR2 is forwarded', 'SIGUSR2', offTerminal, 'forward'],
    ['a second INT during clean-up forces', 'SIGINT', { ...onTerminal, isEnding: true }, 'force'],
    ['TERM during clean-up changes nothing', 'SIGTERM', { ...offTerminal, isEnding: true }, 'ignore'],
    ['HUP during clean-up changes nothing', 'SIGHUP', { ...onTerminal, isEnding: true }, 'ignore'],
  ])('%s', (_title, signal, situation, action) => {
    expect(decideSignal(signal, situation)).toBe(action);
  });
});
