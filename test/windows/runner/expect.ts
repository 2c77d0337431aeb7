/** `expect` as the vitest package assembles it, of the same parts, without what needs its server: snapshots, polls. */
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  ChaiStyleAssertions,
  chai,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import type { expect as vitestExpect } from 'vitest';

type Expect = typeof vitestExpect;
const globals = globalThis as unknown as Record<symbol, object>;

for (const plugin of [JestExtend, JestChaiExpect, ChaiStyleAssertions, JestAsymmetricMatchers]) chai.use(plugin);

export const expect = createExpect();

function createExpect(): Expect {
  const made = ((value: unknown, message?: string) => chai.expect(value, message)) as Expect;
  Object.assign(made, chai.expect, globals[ASYMMETRIC_MATCHERS_OBJECT]);
  setState({ assertionCalls: 0, isExpectingAssertions: false }, made);
  made.extend = (matchers) => (chai.expect as unknown as { extend(e: Expect, m: object): void }).extend(made, matchers);
  made.extend(customMatchers as Parameters<Expect['extend']>[0]);
  Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: made, writable: true, configurable: true });
  return made;
}
