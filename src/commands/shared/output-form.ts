import { AgentmuxError } from '../../errors.ts';
import { formatIdentity } from '../../model/identity.ts';
import { UNKNOWN } from '../../render/format.ts';
import { toJsonText } from '../../render/json.ts';
import { fillTemplate, parseTemplate, type Template } from '../../render/template.ts';
import { escapeUntrusted } from '../../render/untrusted.ts';

/** What a listing is printed as. */
export type OutputForm =
  | { readonly type: 'table' }
  | { readonly type: 'json' }
  | { readonly type: 'quiet' }
  | { readonly type: 'template'; readonly template: Template };

export interface RawOutputForm {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** `table`, `json` or a template. */
  readonly format?: string;
}

/** Settles `--json`, `-q` and `--format`. `fields` are those that a template may name. Throws a usage error. */
export function parseOutputForm(raw: RawOutputForm, fields: readonly string[]): OutputForm {
  const format = raw.json ? 'json' : raw.format;
  if (raw.json && raw.format !== undefined && raw.format !== 'json') {
    throw new AgentmuxError('usage', '--json and --format exclude each other');
  }
  if (raw.quiet && format !== undefined)
    throw new AgentmuxError('usage', '-q and --json or --format exclude each other');
  if (raw.quiet) return { type: 'quiet' };
  if (format === undefined || format === 'table') return { type: 'table' };
  if (format === 'json') return { type: 'json' };
  const template = parseTemplate(format);
  if (template === undefined || template.fields.length === 0) {
    const hint = "--format takes table, json or fields, as in --format '{{.pid}} {{.command}}'";
    throw new AgentmuxError('usage', `"${format}" is no format`, { hint });
  }
  const unknown = template.fields.find((field) => !fields.includes(field));
  if (unknown === undefined) return { type: 'template', template };
  throw new AgentmuxError('usage', `there is no field "${unknown}"`, { hint: `fields: ${fields.join(', ')}` });
}

/** How a listing reads in the forms that are not just fields of its rows. */
export interface ListingTexts {
  readonly json: () => string;
  readonly quiet: () => string;
  readonly table: () => Promise<string>;
}

/** The listing in the form that was asked for. */
export async function renderListing(
  form: OutputForm,
  rows: () => readonly object[],
  { json, quiet, table }: ListingTexts,
): Promise<string> {
  switch (form.type) {
    case 'json':
      return json();
    case 'quiet':
      return quiet();
    case 'template':
      return rows()
        .map((row) => fillRow(form.template, row))
        .join('');
    case 'table':
      return table();
  }
}

/** One line of `--format` for a row of the JSON document. */
function fillRow(template: Template, row: object): string {
  const fields = row as Readonly<Record<string, unknown>>;
  return `${fillTemplate(template, (name) => escapeUntrusted(fieldText(fields[name])))}\n`;
}

/** One line of `-q`: what `kill` accepts, safe from a reused pid. */
export function renderIdentity({ pid, startTicks }: { readonly pid: number; readonly startTicks: number | undefined }) {
  return `${startTicks === undefined ? pid : formatIdentity({ pid, startTicks })}\n`;
}

function fieldText(value: unknown): string {
  if (value === undefined || value === null) return UNKNOWN;
  return typeof value === 'object' ? toJsonText(value) : String(value);
}
