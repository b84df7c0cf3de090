// What `key-revocation-list.ts` promises: the bytes of a list. openssh.test.ts tests whether OpenSSH honours it.

import { describe, expect, it } from 'vitest';
import { writeKeyRevocationList } from '../../../../src/areas/ssh/revocation/key-revocation-list.ts';

const authorityBlob = Buffer.from('CA');
const generatedAt = new Date('2026-11-20T12:34:56.789Z');
const header = [
  '5353484b524c0a00', // "SSHKRL\n\0"
  '00000001', // format
  '0000000000000007', // version
  '000000006b003e70', // date
  '0000000000000000', // flags
  '00000000', // reserved
  '00000000', // comment
].join('');

describe('writeKeyRevocationList', () => {
  it('lists the serials in order, each once', () => {
    const list = writeKeyRevocationList({
      ...{ generatedAt, version: 7n },
      sections: [{ authorityBlob, serials: [2n ** 64n - 1n, 5n, 1n, 5n] }],
    });
    expect(list.toString('hex')).toBe(
      [
        header,
        '01', // certificates
        '00000027',
        '000000024341', // authority
        '00000000', // reserved
        '20', // list of serials
        '00000018',
        '0000000000000001',
        '0000000000000005',
        'ffffffffffffffff',
      ].join(''),
    );
  });

  it('has a section for each authority, but for those without serials', () => {
    const list = writeKeyRevocationList({
      ...{ generatedAt, version: 7n },
      sections: [
        { authorityBlob, serials: [1n] },
        { authorityBlob: Buffer.from('CB'), serials: [] },
        { authorityBlob: Buffer.from('CC'), serials: BigUint64Array.of(1n, 2n) },
      ],
    });
    const [first, third] = [
      ['01', '00000017', '000000024341', '00000000', '20', '00000008', '0000000000000001'],
      ['01', '0000001f', '000000024343', '00000000', '20', '00000010', '0000000000000001', '0000000000000002'],
    ];
    expect(list.toString('hex')).toBe([header, ...first, ...third].join(''));
  });

  it('is a header alone without serials', () => {
    const list = writeKeyRevocationList({ generatedAt, version: 7n, sections: [{ authorityBlob, serials: [] }] });
    expect(list.toString('hex')).toBe(header);
  });

  it.each([0n, -1n, 2n ** 64n])('throws for serial %d, which would spoil the whole list', (serial) => {
    const sections = [{ authorityBlob, serials: [1n, serial] }];
    expect(() => writeKeyRevocationList({ generatedAt, version: 7n, sections })).toThrow(RangeError);
  });
});
