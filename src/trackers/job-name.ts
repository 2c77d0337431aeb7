/**
 * Names of a block's job object, the best first: one that every session of its user sees (ssh, services), else one of
 * this session ("Kernel object namespaces"). The nonce ties it to one block.
 */
export function jobNames(blockId: string, tag: string): readonly [string, string] {
  const name = `agentmux-${blockId}-${tag}`;
  return [`Global\\${name}`, `Local\\${name}`];
}

/** True if a job of that name is the block's own. */
export function isJobOfBlock(name: string, blockId: string, tag: string): boolean {
  return jobNames(blockId, tag).includes(name);
}
