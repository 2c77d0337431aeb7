import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
// @ts-expect-error a script of the build, without types
import { lightenBuiltins } from '../../scripts/build/builtins.mjs';

const asked: string[] = [];
const require = createRequire(import.meta.url);

/** Evaluates a bundle, noting which modules it requires and when. */
function evaluate(bundle: string): unknown {
  asked.length = 0;
  const load = (name: string) => {
    asked.push(name);
    return require(name);
  };
  return new Function('require', 'asked', lightenBuiltins(bundle))(load, asked);
}

it('loads a module that may not be needed where it is first used', () => {
  const bundle =
    'var import_node_os=require("node:os");const before=asked.length;(0,import_node_os.hostname)();return before';
  expect(evaluate(bundle)).toBe(0);
  expect(asked).toEqual(['node:os']);
});

it('gives the module itself as the default of a module that every start uses', () => {
  const bundle = 'var import_node_fs=__toESM(require("node:fs"));return import_node_fs.default.existsSync("/")';
  expect(evaluate(bundle)).toBe(true);
});

it('keeps a module that is handed on as a whole whole, with its default', () => {
  const bundle =
    'var import_node_net=__toESM(require("node:net"));const whole=import_node_net;return [typeof whole.connect,typeof whole.default.connect]';
  expect(evaluate(bundle)).toEqual(['function', 'function']);
});

it('leaves what is not of Node alone', () => {
  const bundle = 'var import_other=__toESM(require("other"));';
  expect(lightenBuiltins(bundle)).toContain(bundle);
});
