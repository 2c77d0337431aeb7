import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licence texts of every package of which a file went into a bundle, for THIRD-PARTY-LICENSES.txt.
 * Throws if a bundled package carries none.
 * @param {string} root the checkout
 * @param {readonly string[]} inputs paths of esbuild's metafile, relative to the checkout
 */
export function renderLicenses(root, inputs) {
  const directories = new Set(inputs.flatMap((input) => findPackageDirectory(input) ?? []));
  const texts = [...directories].sort().map((directory) => renderLicense(join(root, directory)));
  return `agentmux contains these packages.\n\n${texts.join('\n')}`;
}

/** `node_modules/a/node_modules/@b/c/lib/d.js` belongs to `node_modules/a/node_modules/@b/c`. */
function findPackageDirectory(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function renderLicense(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`no licence file in ${directory}`);
  const title = license === undefined ? `${name} ${version}` : `${name} ${version} (${license})`;
  return `${title}\n${'-'.repeat(title.length)}\n${readFileSync(join(directory, file), 'utf8').trim()}\n`;
}
