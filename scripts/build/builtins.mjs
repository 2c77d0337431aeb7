/** What every start uses. */
const EAGER = new Set(['fs', 'path', 'buffer']);

/**
 * Makes the imports of Node's own modules in a bundle cheap: a module that a start may not need is loaded where it is
 * first used, and for `import fs from 'node:fs'` no object with `default` is made of a copy of every property, as esbuild
 * does once for each file that says so.
 * @param {string} text a bundle
 */
export function lightenBuiltins(text) {
  const lightened = text.replace(
    /\b(import_\w+)=(?:require\("node:([\w/]+)"\)|__toESM\(require\("node:([\w/]+)"\)\))/g,
    (whole, variable, plain, copied) => {
      const name = plain ?? copied;
      const properties = findProperties(text, variable);
      if (EAGER.has(name) && plain !== undefined) return whole;
      if (properties === undefined) return `${variable}=__withDefault(require("node:${name}"))`;
      if (EAGER.has(name)) return `${variable}={default:require("node:${name}")}`;
      return `${variable}={${properties.map((property) => lazily(property, name)).join(',')}}`;
    },
  );
  const dynamic = lightened.replace(/__toESM\((require\("node:[\w/]+"\))\)/g, '__withDefault($1)');
  return dynamic.replace(/^("use strict";)?/, '$1var __withDefault=module=>({__proto__:module,default:module});');
}

function lazily(property, name) {
  const value = property === 'default' ? '' : `.${property}`;
  return `get ${property}(){return require("node:${name}")${value}}`;
}

/** What of the module is used; undefined if it is handed on as a whole. */
function findProperties(text, variable) {
  const properties = new Set();
  for (const [, before, property, after] of text.matchAll(new RegExp(`(.)\\b${variable}\\b(?:\\.(\\w+)|(.))`, 'g'))) {
    if (property !== undefined) properties.add(property);
    else if (!/[\s,;]/.test(before) || !/[=,;]/.test(after)) return undefined;
  }
  return [...properties];
}
