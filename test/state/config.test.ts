import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyConfig, findConfigPath, parseConfig, readConfig } from '../../src/state/config.ts';
import { describeIf, isWindows, itIf } from '../helpers/skip.ts';

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describeIf(!isWindows, 'paths of Unix', 'the path of the configuration', () => {
  it.each([
    [{ AGENTMUX_CONFIG: '/a/b.json', HOME: '/h' }, '/a/b.json'],
    [{ AGENTMUX_CONFIG: '', HOME: '/h' }, undefined],
    [{ XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/x/agentmux/config.json'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/agentmux/config.json'],
    [{}, undefined],
  ])('of %j is %j', (env, path) => {
    expect(findConfigPath({ env })).toBe(path);
  });
});

describe('the path of the configuration on Windows', () => {
  it.each([
    [
      { APPDATA: 'C:\\Users\\a\\AppData\\Roaming', HOME: '/c/Users/a' },
      'C:\\Users\\a\\AppData\\Roaming\\agentmux\\config.json',
    ],
    [{ USERPROFILE: 'C:\\Users\\a' }, 'C:\\Users\\a\\AppData\\Roaming\\agentmux\\config.json'],
    [{ APPDATA: 'relative', HOME: '/c/Users/a' }, undefined],
  ])('of %j is %j', (env, path) => {
    expect(findConfigPath({ env, os: 'win32' })).toBe(path);
  });
});

describe('a configuration', () => {
  it('may say all that it can say', () => {
    const text = '{"keep":["gradle*"],"leftovers":"kill","grace":2,"tracker":"scan","labels":false}';
    expect(parseConfig(text, 'f')).toEqual({
      status: 'ok',
      path: 'f',
      config: { keep: ['gradle*'], leftovers: 'kill', grace: '2', tracker: 'scan', labels: false },
    });
  });

  it.each(['{}', '', ' \n', '{"keep":null}'])('may say nothing: %j', (text) => {
    expect(parseConfig(text, 'f')).toMatchObject({ status: 'ok', config: emptyConfig });
  });

  it.each([
    ['{"kep":[]}', /"kep" is not one of the keys keep, leftovers, /],
    ['{', /no JSON/],
    ['[]', /the file is not an object/],
    ['{"leftovers":"drop"}', /"leftovers" is not one of report, kill, keep, ask/],
    ['{"keep":["*"]}', /"keep"\[0\] is not a name/],
    ['{"keep":"gradle"}', /"keep" is not a list/],
    ['{"grace":"soon"}', /"grace" is not a duration/],
    ['{"labels":"no"}', /"labels" is not true or false/],
  ])('%s is refused with what is wrong with it', (text, detail) => {
    expect(parseConfig(text, 'f')).toEqual({ status: 'bad', path: 'f', detail: expect.stringMatching(detail) });
  });

  it('is empty where there is no file, but not where AGENTMUX_CONFIG names one', () => {
    const home = makeDirectory();
    expect(readConfig({ env: { HOME: home } })).toEqual({ status: 'ok', config: emptyConfig, path: undefined });
    expect(readConfig({ env: { AGENTMUX_CONFIG: join(home, 'nope') } })).toMatchObject({
      status: 'bad',
      detail: expect.stringMatching('cannot be read'),
    });
  });

  itIf(
    !isWindows,
    'links need a privilege there',
    'is read through a link, and not from a directory or a device',
    () => {
      const home = makeDirectory();
      mkdirSync(join(home, '.config/agentmux'), { recursive: true });
      writeFileSync(join(home, 'mine.json'), '{"grace":"1s"}');
      symlinkSync(join(home, 'mine.json'), join(home, '.config/agentmux/config.json'));
      expect(readConfig({ env: { HOME: home } })).toMatchObject({ status: 'ok', config: { grace: '1s' } });
      for (const path of [home, '/dev/zero'])
        expect(readConfig({ env: { AGENTMUX_CONFIG: path } })).toMatchObject({ status: 'bad' });
    },
  );
});
