import { AgentmuxError } from '../../errors.ts';

/** Reads an age in ms: `7d`, `36h`, `90m`, `30s`, or `0`. Throws a usage error that names the option. */
export function parseAge(text: string, option: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (text === '0') return 0;
  if (match !== null) return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
  throw new AgentmuxError('usage', `"${text}" is no age for ${option}`, {
    code: 'bad-age',
    hint: `write it as ${option} 7d, 36h, 90m or 0`,
  });
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
