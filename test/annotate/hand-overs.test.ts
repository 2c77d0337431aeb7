import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHandOvers } from '../../src/annotate/hand-overs.ts';

describe('findHandOvers', () => {
  it.each([
    ['tmux -L x new-window -d "sleep 9"; (systemd-run --user --quiet sleep 9 || true)', ['tmux', 'systemd-run']],
    ['cd x && docker run -d nginx', ['docker']],
    ['echo "rm x" | at now + 1 hour', ['at']],
    ['FOO=1 sudo -E ssh host make\nssh host', ['ssh']],
    ["bash -c 'cd /x; tmux new -d'", ['tmux']],
    ['if true; then docker compose up -d; fi', ['docker']],
    ['timeout 5 podman run x', ['podman']],
    ['podman ps', []],
    ['echo tmux; grep ssh file', []],
    ["echo '; tmux new'", []],
    ['npm run docker', []],
    ['', []],
  ])('in %j finds %j', (command, names) => {
    expect(findHandOvers(command)).toEqual(names);
  });

  it('reads any text', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(findHandOvers(text))));
  });
});
