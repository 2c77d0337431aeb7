import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** A committed schema, compiled. */
export function compileSchema(name: string): ValidateFunction {
  const schema = JSON.parse(readFileSync(`schema/${name}.schema.json`, 'utf8')) as object;
  return new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);
}

/** What is wrong with a document, in words; empty if nothing is. */
export function findFaults(validate: ValidateFunction, document: unknown): string[] {
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Every field of a document, at any depth, as a path; and the document without it. */
export function withoutEachField(document: unknown): { readonly path: string; readonly document: unknown }[] {
  return listFields(document, []).map((keys) => ({ path: keys.join('.'), document: removeField(document, keys) }));
}

type Key = string | number;

function listFields(value: unknown, above: readonly Key[]): Key[][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => listFields(item, [...above, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[...above, key], ...listFields(item, [...above, key])]);
}

function removeField(document: unknown, keys: readonly Key[]): unknown {
  const copy: unknown = structuredClone(document);
  let holder = copy as Record<Key, unknown>;
  for (const key of keys.slice(0, -1)) holder = holder[key] as Record<Key, unknown>;
  delete holder[keys.at(-1) ?? ''];
  return copy;
}
