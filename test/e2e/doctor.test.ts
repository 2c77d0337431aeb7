import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSystemdHost } from '../../src/platform/linux/systemd.ts';
import { canMakeGroups, findOwnGroup, listGroups, makeGroup } from '../helpers/cgroup.ts';
import { createRig, type Rig, type RigOptions } from '../helpers/cli.ts';
import { hasNamespaces, namespaceReason, openNamespace } from '../helpers/namespace.ts';
import type { HostName } from '../helpers/namespace-setups.ts';
import { isNativeReader, notByPs } from '../helpers/reader.ts';
import { describeIf, isRoot, itIf } from '../helpers/skip.ts';

interface Diagnosis {
  readonly tracker: {
    readonly type: string;
    readonly confidence: string;
    readonly reasons: readonly { readonly code: string; readonly command: string | null }[];
  };
  readonly improve: string | null;
  readonly escapes: readonly string[];
  readonly state: { readonly status: string; readonly detail: string | null };
}

const diagnose = (rig: Rig): Promise<Diagnosis> => rig.agentmux('doctor', '--json').json<Diagnosis>();
const codesOf = ({ tracker }: Diagnosis): string[] => tracker.reasons.map(({ code }) => code);

/** What is said in addition where processes are read by `ps`. */
const OF_PS = ['read-by-ps', 'no-subreaper'];

const nobody = 65534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

/** Types the advised command into the shell that starts doctor next. */
function afterTyping(command: string | null, options: RigOptions): RigOptions {
  const typed = command?.replace(/^sudo /, '');
  return { ...options, prefix: [...(options.prefix ?? []), 'bash', '-c', `${typed} && exec "$@"`, 'bash'] };
}

describe('agentmux doctor', () => {
  it('says which tracker a run would get, having left nothing behind', async () => {
    const rig = createRig();
    const own = findOwnGroup();
    const { stdout } = await rig
      .agentmux('doctor')
      .stdout(/^tracker: (cgroup|scan)/)
      .run();
    expect(stdout).toMatch(/^ {2}can escape: /m);
    expect(stdout).toMatch(/^improve: /m);
    expect(stdout).toMatch(/^state: \S+, 0 blocks$/m);
    expect(stdout).toMatch(/^native calls: /m);
    expect(/^user manager: /m.test(stdout)).toBe(isNativeReader);
    const groups = own === undefined ? [] : listGroups(own);
    expect(groups.filter((name) => name.startsWith('agentmux-doctor-'))).toEqual([]);
  });

  it('tells the same tracker that a run then gets', async () => {
    const rig = createRig();
    const { tracker } = await diagnose(rig);
    await rig.run('--block', 'b1', 'true').run();
    const { blocks } = await rig.agentmux('blocks', '--all', '--json').json<{ blocks: Diagnosis[] }>();
    expect(blocks[0]?.tracker).toMatchObject({ type: tracker.type, confidence: tracker.confidence });
  });

  it('honours AGENTMUX_TRACKER, and tells how to lift it', async () => {
    const options = { tracker: 'scan' };
    const diagnosis = await diagnose(createRig(options));
    expect(diagnosis).toMatchObject({ tracker: { type: 'scan' }, improve: 'unset AGENTMUX_TRACKER' });
    expect(codesOf(diagnosis).filter((code) => !OF_PS.includes(code))).toEqual(['forced']);
    expect(codesOf(await diagnose(createRig(afterTyping(diagnosis.improve, options))))).not.toContain('forced');
    expect((await diagnose(createRig({ tracker: 'stub' }))).escapes).toEqual(['everything: nothing is tracked']);
  });

  it('finds nothing wrong with a state directory that is not there yet', async () => {
    const rig = createRig();
    const absent = join(rig.directory, 'home', 'new', 'state');
    await rig
      .agentmux('doctor')
      .env('AGENTMUX_STATE_DIR', absent)
      .stdout(/^state: \S+, made by the first run$/m)
      .run();
  });

  it('names state files that cannot be read', async () => {
    const rig = createRig();
    mkdirSync(join(rig.stateDirectory, 'blocks'), { mode: 0o700 });
    writeFileSync(join(rig.stateDirectory, 'blocks', 'torn.json'), '{', { mode: 0o600 });
    await rig
      .agentmux('doctor')
      .stdout(/^state: \S+, 0 blocks\n {2}unreadable: \S+torn\.json \(torn\): /m)
      .run();
  });

  it('fails where runs cannot be recorded, and says what to do', async () => {
    const rig = createRig();
    chmodSync(rig.stateDirectory, 0o777);
    const { stdout } = await rig
      .agentmux('doctor')
      .stdout(/^state: not usable: .*\n {2}hint: \S/m)
      .status(1)
      .run();
    expect(stdout).toMatch(/^tracker: /);
    const { stdout: json } = await rig.agentmux('doctor', '--json').stdout(/./).status(1).run();
    expect((JSON.parse(json) as Diagnosis).state.status).toBe('unusable');
  });
});

const groupsReason = (reason: string) => (isNativeReader ? reason : notByPs('groups and hidepid are of Linux'));

const hosts: readonly (readonly [HostName, string])[] = [
  ['pureV1', 'no-cgroup2'],
  ['readOnly', 'read-only'],
  ['threaded', 'threaded'],
];

describeIf(
  isNativeReader && hasNamespaces && !isSystemdHost(),
  groupsReason(namespaceReason),
  'agentmux doctor on a host of another make',
  () => {
    it.each(hosts)('%s: says %s, and its command changes the outcome', async (host, code) => {
      const { prefix } = await openNamespace(host);
      const before = await diagnose(createRig({ prefix }));
      expect(before.tracker).toMatchObject({ type: 'scan', confidence: 'best_effort' });
      expect(codesOf(before)).toEqual([code]);
      const after = await diagnose(createRig(afterTyping(before.improve, { prefix })));
      expect(after).toMatchObject({ tracker: { type: 'cgroup', confidence: 'high', reasons: [] }, improve: null });
    });

    it('hidepid: says so to an ordinary user, and its command changes the outcome', async () => {
      const { prefix } = await openNamespace('hidepid');
      const nobodys = (before: readonly string[]): Rig => createRig({ prefix: before, uid: nobody });
      const hidden = await diagnose(nobodys(prefix));
      expect(codesOf(hidden)).toContain('hidepid');
      const command = hidden.tracker.reasons.find(({ code }) => code === 'hidepid')?.command ?? null;
      const typed = afterTyping(command, { prefix }).prefix ?? [];
      expect(codesOf(await diagnose(nobodys(typed)))).not.toContain('hidepid');
    });
  },
);

describeIf(
  isNativeReader && isRoot && canMakeGroups() && !isSystemdHost(),
  groupsReason('needs root and cgroup v2'),
  'agentmux doctor in a group',
  () => {
    const joined = (group: string): string[] => ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];

    it('says that an ordinary user may not write its group, and its command changes the outcome', async () => {
      const before = await diagnose(createRig({ uid: nobody }));
      expect(codesOf(before)).toEqual(['permission']);
      onTestFinished(() => {
        const mount = dirname(before.improve?.match(/\/\S+\/agentmux-user-65534/)?.[0] ?? '/nonexistent/x');
        spawnSync('find', [mount, '-maxdepth', '1', '-name', 'agentmux-user-65534', '-delete']);
      });
      const after = await diagnose(createRig({ ...afterTyping(before.improve, {}), uid: nobody }));
      expect(after).toMatchObject({ tracker: { type: 'cgroup', reasons: [] }, improve: null });
    });

    it('says that groups are limited, and its command changes the outcome', async () => {
      const group = makeGroup();
      writeFileSync(join(group, 'cgroup.max.descendants'), '0');
      const before = await diagnose(createRig({ prefix: joined(group) }));
      expect(codesOf(before)).toEqual(['group-limit']);
      const after = await diagnose(createRig(afterTyping(before.improve, { prefix: joined(group) })));
      expect(after.tracker).toMatchObject({ type: 'cgroup', reasons: [] });
    });

    it('works for a user that no user database knows', async () => {
      const rig = createRig({ uid: 54_321 });
      expect((await diagnose(rig)).tracker.type).toBe('scan');
    });

    itIf(
      spawnSync(asNobody[0] ?? '', ['--version']).status === 0,
      'needs setpriv',
      'says that a state directory of another user is not used',
      async () => {
        const rig = createRig();
        const [setpriv = '', ...flags] = asNobody;
        const { stdout } = await rig
          .command(setpriv, ...flags, process.execPath, join(process.cwd(), 'bin/agentmux.js'), 'doctor')
          .stdout(/^state: not usable: /m)
          .status(1)
          .run();
        expect(stdout).toMatch(/^tracker: scan/);
      },
    );
  },
);
