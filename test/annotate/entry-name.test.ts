import { describe, expect, it } from 'vitest';
import { type NamedMember, nameCommand, nameMembers, squash } from '../../src/annotate/entry-name.ts';

/** A chain of processes, each the parent of the next. */
function chain(...commands: readonly (readonly string[])[]): NamedMember[] {
  return commands.map((argv, index) => {
    const name = argv[0]?.split(' ')[0] ?? '';
    return { pid: 10 + index, parentPid: 9 + index, exe: `/usr/bin/${name}`, argv, comm: name };
  });
}

describe('the name of a thing', () => {
  it.each([
    [['sleep 600'], chain(['sleep', '600'])],
    [['sleep 600'], chain(['bash', '-c', 'sleep 600; true'], ['sleep', '600'])],
    [
      ['vite --port 3'],
      chain(['bash', '-c', 'x'], ['npx', 'vite'], ['sh', '-c', 'vite'], ['node', '/a/vite.js', '--port', '3']),
    ],
    [['http.server 0'], chain(['timeout', '9', 'python3'], ['python3', '-m', 'http.server', '0'])],
    [['npm run dev'], chain(['bash', '-c', 'cd /x && npm run dev'])],
    [['make all'], chain(['bash', '-c', 'x'], ['env', 'A=1', 'make'], ['make', 'all'], ['cc', 'a.c'])],
  ])('is %j', ([name], members) => {
    expect(nameMembers(members)).toBe(name);
  });

  it('is that of the shell where it runs several', () => {
    const shell = chain(['bash', '-c', 'a & b & wait'])[0] as NamedMember;
    const twins = [11, 12].map((pid) => ({ ...(chain(['sleep', '9'])[0] as NamedMember), pid, parentPid: 10 }));
    expect(nameMembers([shell, ...twins])).toBe('b');
    expect(nameMembers([])).toBeUndefined();
  });

  it.each([
    ['PORT=3 npx vite --host', 'vite --host'],
    ['timeout 5 env A=1 node x.js', 'node x.js'],
    ['nohup ./server > log 2>&1', './server'],
    ['cd app && npm run dev', 'npm run dev'],
    ['sleep 600 &', 'sleep 600'],
    ['server 2>&1 & sleep 1', 'server'],
    ['npm', 'npm'],
    ['', ''],
  ])('of the command %j is %j', (command, name) => {
    expect(nameCommand(command)).toBe(name);
  });

  it('has no runs of white space', () => {
    expect(squash(' a\n\t b ')).toBe('a b');
  });
});
