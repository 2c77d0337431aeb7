/**
 * Names of the groups that we make. The nonce in the name ties a group to one block, so that a path from a state file
 * can be checked before anything is done with it.
 */

const GROUP_NAME = /^agentmux-(.+)-([0-9a-f]{8})(?:\.scope|\.kept)?$/;

/** Directory name of a block's group: `agentmux-<id>-<first 8 hex digits of the tag>`. */
export function groupName(blockId: string, tag: string): string {
  return `agentmux-${blockId}-${nonceOf(tag)}`;
}

/** Unit name of a block's scope. */
export function scopeName(blockId: string, tag: string): string {
  return `${groupName(blockId, tag)}.scope`;
}

/** Directory name of the group that holds what is kept of a block. */
export function keptGroupName(blockId: string, tag: string): string {
  return `${groupName(blockId, tag)}.kept`;
}

/** Block id and nonce of a group's name; undefined if it is none of a block of ours. */
export function parseGroupName(name: string): { readonly blockId: string; readonly nonce: string } | undefined {
  const match = GROUP_NAME.exec(name);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { blockId: match[1], nonce: match[2] };
}

/** True if the path is the block's own group: that group, its scope, or the `agent` group within one of them. */
export function isGroupOfBlock(path: string, blockId: string, tag: string): boolean {
  const parts = path.split('/');
  if (parts.includes('..')) return false;
  const last = parts.at(-1) === 'agent' ? parts.at(-2) : parts.at(-1);
  return last === groupName(blockId, tag) || last === scopeName(blockId, tag);
}

/** True if a group of this path lies inside the enclosure of some block of ours. */
export function isInsideBlock(path: string): boolean {
  return path.split('/').some((part) => parseGroupName(part) !== undefined);
}

/** First 8 hex digits of the tag, lowercased; a tag that is no hex is reduced to its hex digits. */
export function nonceOf(tag: string): string {
  return tag
    .toLowerCase()
    .replace(/[^0-9a-f]/g, '')
    .padEnd(8, '0')
    .slice(0, 8);
}
