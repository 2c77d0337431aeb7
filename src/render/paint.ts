/** The few styles in use; colour never carries a meaning that the text does not have. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** Wraps text in the control sequences of a style. */
export type Paint = (text: string, style: Style | undefined) => string;

/** A painter for a stream's colour level; chalk is loaded only where there is colour. Text must be escaped before. */
export async function loadPaint(level: 0 | 1 | 2 | 3): Promise<Paint> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  return (text, style) => (style === undefined ? text : chalk[style](text));
}
