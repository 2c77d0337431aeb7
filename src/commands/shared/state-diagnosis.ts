import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import type { Store, UnreadableRecord } from '../../state/store.ts';

/** How the state directory is; `absent` is well: the first run makes it. */
export interface StateDiagnosis {
  readonly status: 'ok' | 'absent' | 'unusable';
  readonly directory: string | undefined;
  /** What is wrong with it, and a command that helps. */
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly blocks: number | undefined;
  readonly unreadable: readonly UnreadableRecord[];
}

/** Looks at the state directory; writes nothing. */
export function diagnoseState(context: Context): StateDiagnosis {
  try {
    const { store } = context;
    const { blocks, unreadable } = store.list();
    return { ...checkWritable(store), directory: store.directory, blocks: blocks.length, unreadable };
  } catch (error) {
    if (!(error instanceof AgentmuxError)) throw error;
    const { message: detail, hint } = error;
    return { status: 'unusable', directory: undefined, detail, hint, blocks: undefined, unreadable: [] };
  }
}

function checkWritable({ directory }: Store): Pick<StateDiagnosis, 'status' | 'detail' | 'hint'> {
  const isThere = existsSync(directory);
  try {
    accessSync(nearestExisting(directory), constants.W_OK | constants.X_OK);
    return { status: isThere ? 'ok' : 'absent', detail: undefined, hint: undefined };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      status: 'unusable',
      detail: `nothing can be written there: ${code}`,
      hint: 'set AGENTMUX_STATE_DIR to a directory of your own',
    };
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}
