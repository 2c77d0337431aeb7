import { describe, expect, it } from 'vitest';
import { formatAge, formatBytes, formatCpu, formatPercent, formatTime } from '../../src/render/format.ts';

describe('formatAge', () => {
  it.each([
    [undefined, '-'],
    [-5_000, '0s'],
    [999, '0s'],
    [12_345, '12s'],
    [59_999, '59s'],
    [60_000, '1m 0s'],
    [184_000, '3m 4s'],
    [3_599_999, '59m 59s'],
    [7_500_000, '2h 5m'],
    [372_000_000, '103h 20m'],
  ])('shows %s ms as %s', (ms, shown) => expect(formatAge(ms)).toBe(shown));
});

describe('formatCpu', () => {
  it.each([
    [undefined, '-'],
    [0, '0.00s'],
    [40, '0.04s'],
    [994, '0.99s'],
    [995, '1.0s'],
    [7_240, '7.2s'],
    [9_949, '9.9s'],
    [9_950, '9s'],
    [65_000, '1m 5s'],
  ])('shows %s ms as %s', (ms, shown) => expect(formatCpu(ms)).toBe(shown));
});

describe('formatBytes', () => {
  it.each([
    [undefined, '-'],
    [0, '0 B'],
    [512, '512 B'],
    [1_000, '1.0 KiB'],
    [1_536, '1.5 KiB'],
    [125_829_120, '120 MiB'],
    [1_073_741_824, '1.0 GiB'],
    [2 ** 50, '1024 TiB'],
  ])('shows %s bytes as %s', (bytes, shown) => expect(formatBytes(bytes)).toBe(shown));
});

describe('formatPercent', () => {
  it.each([
    [undefined, '-'],
    [0.3, '0.3%'],
    [9.95, '10%'],
    [198, '198%'],
  ])('shows %s as %s', (share, shown) => expect(formatPercent(share)).toBe(shown));
});

describe('formatTime', () => {
  it('shows whole seconds in UTC', () => expect(formatTime(1_700_000_000_123)).toBe('2023-11-14T22:13:20Z'));
});
