import { LaunchError, RunExitCode } from '../errors.ts';
import type { BlockRecord } from '../model/block.ts';
import { isValidBlockId } from '../state/ids.ts';

/** Which block a run belongs to. */
export type BlockChoice =
  /** A block of its own under a new readable name. */
  | { readonly type: 'new'; readonly parentId: string | undefined }
  /** A block of its own under a name that was given. */
  | {
      readonly type: 'named';
      readonly id: string;
      readonly parentId: string | undefined;
      /** By `--block`, not by the environment. */
      readonly isAsked: boolean;
    }
  /** One more run of a block that has ended. */
  | { readonly type: 'again'; readonly record: BlockRecord; readonly parentId: string | undefined };

export interface BlockQuestion {
  /** `--block`. */
  readonly asked: string | undefined;
  /** AGENTMUX_BLOCKID as inherited. */
  readonly inherited: string | undefined;
  /** True if there is a record of that id, readable or not. */
  isKnown(id: string): boolean;
  /** The record of `--block`; throws AgentmuxError if it is unreadable. */
  read(id: string): BlockRecord | undefined;
  /** Why the block cannot be run again now; undefined if nothing speaks against it. */
  findObstacle(record: BlockRecord): string | undefined;
}

/**
 * Names the block: `--block`, else an inherited name, else a new one. An inherited name of a block that we know makes a
 * child block; one that we do not know was set by a host program and is taken over; one that is no name is passed over,
 * which `note` tells. Throws LaunchError 125 for a `--block` that is no name or whose run is alive.
 */
export function chooseBlock(question: BlockQuestion, note: (text: string) => void): BlockChoice {
  const { asked } = question;
  const inherited = question.inherited === '' ? undefined : question.inherited;
  const isName = inherited !== undefined && isValidBlockId(inherited);
  const isChild = isName && question.isKnown(inherited) && inherited !== asked;
  const parentId = isChild ? inherited : undefined;
  if (asked !== undefined) return chooseAsked(asked, parentId, question);
  if (inherited !== undefined && !isName) note(`AGENTMUX_BLOCKID "${inherited}" is no block name, not used`);
  if (isChild || !isName) return { type: 'new', parentId };
  return { type: 'named', id: inherited, parentId: undefined, isAsked: false };
}

function chooseAsked(asked: string, parentId: string | undefined, question: BlockQuestion): BlockChoice {
  if (!isValidBlockId(asked)) {
    throw new LaunchError(RunExitCode.failed, `"${asked}" is no block name`, {
      hint: 'a name is 1 to 64 of A-Z a-z 0-9 . _ -, not starting with - or .',
    });
  }
  const record = question.read(asked);
  if (record === undefined) return { type: 'named', id: asked, parentId, isAsked: true };
  const obstacle = question.findObstacle(record);
  if (obstacle !== undefined) {
    throw new LaunchError(RunExitCode.failed, `block "${asked}" ${obstacle}`, {
      hint: `agentmux ps --all --block ${asked}, or take another name`,
    });
  }
  return { type: 'again', record, parentId };
}
