import { describe, expect, it } from 'vitest';
import { findForeignWriters, ownerOnlySddl, parseOwner } from '../../../src/platform/windows/sddl.ts';

const USER = 'S-1-5-21-1-2-3-1001';
const OTHER = 'S-1-5-21-1-2-3-1002';

describe('parseOwner', () => {
  it.each([
    [`O:${USER}D:P(A;;GA;;;${USER})`, USER],
    ['O:BAG:SYD:(A;;FA;;;SY)', 'BA'],
    ['O:LAD:P(A;;FA;;;LA)', 'LA'],
    [`O:${USER}`, USER],
    ['D:(A;;FA;;;SY)', undefined],
    ['', undefined],
  ])('of %s is %s', (sddl, owner) => {
    expect(parseOwner(sddl)).toBe(owner);
  });
});

describe('findForeignWriters', () => {
  it.each([
    ['what is the user alone', ownerOnlySddl(USER, 'directory'), []],
    ['what is made below a profile', `O:${USER}D:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;${USER})`, []],
    ['what everybody may read', `O:${USER}D:(A;OICI;FA;;;${USER})(A;OICI;0x1200a9;;;WD)(A;;FR;;;BU)`, []],
    ['what everybody may write', `O:${USER}D:(A;OICI;FA;;;${USER})(A;OICI;0x1301bf;;;WD)`, ['WD']],
    ['what another user may write', `O:${USER}D:P(A;;FA;;;${USER})(A;;FW;;;${OTHER})`, [OTHER]],
    ['where users may make files', 'O:SYD:(A;;FA;;;SY)(A;CI;LC;;;BU)(A;CI;DC;;;BU)', ['BU']],
    ['what others may take over', `O:${USER}D:(A;;WDWO;;;AU)`, ['AU']],
    ['a list that only refuses', `O:${USER}D:(D;;FA;;;WD)(A;;FA;;;${USER})`, []],
    ['what its maker gets below', `O:${USER}D:(A;OICIIO;FA;;;CO)(A;;FA;;;${USER})`, []],
    ['no list at all', `O:${USER}`, ['everyone']],
    ['a list that is none', `O:${USER}D:NO_ACCESS_CONTROL`, ['everyone']],
    ['what is the user alone under its short name', 'O:LAD:P(A;OICI;FA;;;LA)', []],
    ['what a service may write', 'O:LAD:P(A;;FA;;;LA)(A;;FA;;;NS)', ['NS']],
    ['an empty list', `O:${USER}D:P`, []],
  ])('finds who may change %s', (_, sddl, writers) => {
    expect(findForeignWriters(sddl, new Set([USER, 'LA']))).toEqual(writers);
  });
});
