import { expect, it } from 'vitest';
import { describeEvidence } from '../../src/render/evidence.ts';
import { noEvidence } from '../helpers/evidence.ts';

it.each<[string, object, string]>([
  ['a shell', {}, 'a shell'],
  [
    'marked as a tool call',
    { kind: 'mark', mark: 'AI_AGENT', session: '5ca4e252-603c-4ea3-a167-f00e45c22fe6', taskId: 'b1x' },
    'marked as a tool call (AI_AGENT), session 5ca4e252, task b1x',
  ],
  ['below a tool call', { kind: 'descent', mark: 'X', callId: 'call_1' }, 'below a tool call, call call_1'],
])('says why: %s', (because, evidence, text) => {
  expect(describeEvidence({ because, evidence: { ...noEvidence, ...evidence } })).toBe(text);
});
