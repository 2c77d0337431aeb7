/** A parsed `--format` template: text and the names of fields in turn. */
export interface Template {
  readonly parts: readonly TemplatePart[];
  /** Every field that it names, each once. */
  readonly fields: readonly string[];
}

export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'field'; readonly name: string };

/**
 * Parses a template such as `{{.pid}} {{.command}}`: simple fields in the manner of Go's templates, and `\t` and `\n`.
 * Undefined if braces do not hold a field.
 */
export function parseTemplate(source: string): Template | undefined {
  const parts: TemplatePart[] = [];
  let position = 0;
  for (const match of source.matchAll(/\{\{(.*?)\}\}/gs)) {
    const name = /^\s*\.([A-Za-z][A-Za-z0-9.]*)\s*$/.exec(match[1] ?? '')?.[1];
    if (name === undefined) return undefined;
    parts.push({ type: 'text', text: unescapeText(source.slice(position, match.index)) }, { type: 'field', name });
    position = match.index + match[0].length;
  }
  const rest = source.slice(position);
  if (rest.includes('{{')) return undefined;
  parts.push({ type: 'text', text: unescapeText(rest) });
  return { parts, fields: [...new Set(parts.flatMap((part) => (part.type === 'field' ? [part.name] : [])))] };
}

/** Fills a template in; `readField` gives each field's text, already safe to print. */
export function fillTemplate(template: Template, readField: (field: string) => string): string {
  return template.parts.map((part) => (part.type === 'text' ? part.text : readField(part.name))).join('');
}

function unescapeText(text: string): string {
  return text.replaceAll('\\t', '\t').replaceAll('\\n', '\n');
}
