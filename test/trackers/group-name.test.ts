import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupName, isGroupOfBlock, isInsideBlock, parseGroupName, scopeName } from '../../src/trackers/group-name.ts';

const tag = '0a1b2c3d'.repeat(4);
const blockId = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/);
const anyTag = fc.stringMatching(/^[0-9a-f]{32}$/);

describe('names of groups', () => {
  it('carry the block and its nonce', () => {
    expect(groupName('claude-k3f9', tag)).toBe('agentmux-claude-k3f9-0a1b2c3d');
    expect(scopeName('claude-k3f9', tag)).toBe('agentmux-claude-k3f9-0a1b2c3d.scope');
  });

  it('are read back as they were made', () => {
    fc.assert(
      fc.property(blockId, anyTag, (id, nonce) => {
        expect(parseGroupName(groupName(id, nonce))).toEqual({ blockId: id, nonce: nonce.slice(0, 8) });
        expect(parseGroupName(scopeName(id, nonce))).toEqual({ blockId: id, nonce: nonce.slice(0, 8) });
      }),
    );
  });

  it.each([
    ['/sys/fs/cgroup/agentmux-b-0a1b2c3d', true],
    ['/sys/fs/cgroup/agentmux-b-0a1b2c3d/agent', true],
    ['/x/agentmux.slice/agentmux-b-0a1b2c3d.scope/agent', true],
    ['/sys/fs/cgroup/agentmux-b-ffffffff', false],
    ['/sys/fs/cgroup/agentmux-c-0a1b2c3d', false],
    ['/sys/fs/cgroup', false],
    ['/', false],
    ['/sys/fs/cgroup/agentmux-b-0a1b2c3d/..', false],
    ['/sys/fs/cgroup/agentmux-b-0a1b2c3d/../agentmux-b-0a1b2c3d', false],
    ['/sys/fs/cgroup/agentmux-b-0a1b2c3d/inner', false],
  ])("tell whether %s is the block's own: %s", (path, isOwn) => {
    expect(isGroupOfBlock(path, 'b', tag)).toBe(isOwn);
  });

  it('tell whether a group lies inside that of some block', () => {
    expect(isInsideBlock('/a/agentmux-b-0a1b2c3d/inner/deep')).toBe(true);
    expect(isInsideBlock('/user.slice/agentmux.slice/agentmux-b-0a1b2c3d.scope/agent')).toBe(true);
    expect(isInsideBlock('/user.slice/agentmux-notes')).toBe(false);
  });
});
