import type { ShownRow } from '../../render/process-table.ts';

/** The fields of a row of `ps`, in the order of the documentation; a test holds it to schema/ps.schema.json. */
export const rowFields: readonly (keyof ShownRow)[] = [
  ...(['blockId', 'pid', 'parentPid', 'startTicks', 'startedAtMs', 'ageMs', 'state', 'cpuMs', 'cpuPercent'] as const),
  ...([
    'rssBytes',
    'privateBytes',
    'listeners',
    'sharedListeners',
    'comm',
    'command',
    'argv',
    'commandBase64',
  ] as const),
  ...(['exe', 'cwd', 'uid', 'tty', 'pgid', 'sid', 'innerPid', 'role', 'because'] as const),
  ...([
    'evidence',
    'agent',
    'note',
    'label',
    'entry',
    'kept',
    'source',
    'confidence',
    'escaped',
    'redacted',
    'orphan',
  ] as const),
];
