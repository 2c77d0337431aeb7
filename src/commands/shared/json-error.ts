import { renderJson } from '../../render/json.ts';

/** The one document of a `--json` command that failed (schema/error.schema.json). */
export function renderJsonError(code: string, message: string, hint: string | undefined, exitCode: number): string {
  return renderJson({ error: { code, message, hint, exitCode } });
}
