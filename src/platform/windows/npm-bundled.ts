import { win32 as path } from 'node:path';
import type { ProgramQuestion } from './locate-program.ts';
import type { Shim } from './npm-shim.ts';

/**
 * The `npm.cmd` and `npx.cmd` that come with Node. They ask npm for its prefix, to prefer an npm that was updated there;
 * here it is known where neither the environment nor a `.npmrc` of the user sets another one. Undefined otherwise.
 */
export function parseBundledNpm(file: string, text: string, { env, files }: ProgramQuestion): Shim | undefined {
  if (!/^:: Created by npm, please don't edit manually\./.test(text)) return undefined;
  const own = path.basename(file).toLowerCase() === 'npx.cmd' ? 'NPX' : 'NPM';
  const line = new RegExp(`^SET "${own}_CLI_JS=%~dp0\\\\(node_modules\\\\[\\w.\\\\-]+)"\\s*$`, 'im');
  const script = line.exec(text)?.[1];
  const home = env('USERPROFILE');
  const appData = env('APPDATA');
  if (script === undefined || home === undefined || appData === undefined) return undefined;
  if (env('NPM_CONFIG_PREFIX') !== undefined) return undefined;
  if (/^\s*prefix\s*=/im.test(files.readText(path.join(home, '.npmrc')) ?? '')) return undefined;
  const directory = path.dirname(file);
  const places = [path.join(appData, 'npm'), directory].map((place) => path.join(place, script));
  const found = places.find((place) => files.kindOf(place) === 'file');
  return found === undefined
    ? undefined
    : { programs: [path.join(directory, 'node.exe'), 'node'], before: [found], env: {} };
}
