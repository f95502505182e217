import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog } from '@adapters/postgres';
import { type AuditRecord } from '@core/domain';
import { loadConfig } from '@platform/config';
import { DeleteOldAuditRecords } from '../../../apps/server/src/chores/delete-old-rows.js';
import { CapturedLog } from '../../support/captured-log.js';
import { openStores, type Stores } from './fixtures.js';

const signal = new AbortController().signal;
let stores: Stores;
let log: AuditLog;
beforeEach(async () => {
  stores = await openStores();
  log = new AuditLog(stores.db);
});
afterEach(() => stores.close());

const record = (action: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  at: new Date('2026-11-20T09:00:00.000Z'),
  kind: 'read',
  action: `test.${action}`,
  ...more,
});
const page = { limit: 100, offset: 0 };
const linesOf = async () => {
  let text = '';
  for await (const piece of log.lines({})) text += piece;
  return text.split('\n').filter(Boolean);
};
/** What somebody can do who owns the tables. */
const tamper = async (sql: string) => {
  await stores.db.query('ALTER TABLE audit_records DISABLE TRIGGER ALL');
  await stores.db.query(sql);
  await stores.db.query('ALTER TABLE audit_records ENABLE TRIGGER ALL');
};

describe('the chain of audit records', () => {
  it('gives each record the hash of the one before it and of its own canonical content', async () => {
    await log.append([record('a', { path: 'ü\0"\\', changes: { z: 1, a: [true, { y: 2, b: null }] } })]);
    await log.append([record('b', { repositoryIds: ['r1'], calls: 3, lastAt: new Date(0) }), record('c')]);
    const lines = await linesOf();
    let previous = '0'.repeat(64);
    for (const [index, line] of lines.entries()) {
      const { id, previous_hash: before, hash, ...content } = JSON.parse(line) as Record<string, unknown>;
      const canonical = line.replace(/^\{"id":\d+,"previous_hash":"\w+","hash":"\w+",/, '{');
      expect([id, before]).toEqual([index + 1, previous]);
      expect(JSON.parse(canonical)).toEqual(content);
      previous = createHash('sha256').update(`${previous}\n${canonical}`).digest('hex');
      expect(hash).toBe(previous);
    }
    expect(lines[0]).toContain(
      '"changes":{"a":[true,{"b":null,"y":2}],"z":1},"kind":"read","path":"ü\uFFFD\\"\\\\"}',
    );
    expect(await log.check(signal)).toEqual({
      isIntact: true,
      checked: 3,
      head: { id: 3, hash: previous },
      anchor: null,
      broken: null,
    });
  });

  it('returns records with all their properties, newest first', async () => {
    await log.append([record('a'), record('b', { repositoryIds: ['r1', 'r2'], lastAt: new Date(5) })]);
    const { items, total } = await log.list({}, page);
    expect([total, items.map(({ action }) => action)]).toEqual([2, ['test.b', 'test.a']]);
    expect(items[0]).toMatchObject({
      lastAt: new Date(5),
      actorId: null,
      at: new Date('2026-11-20T09:00:00.000Z'),
    });
    const found = async (filter: object) => (await log.list(filter, page)).items.map(({ action }) => action);
    expect(await found({ repositoryId: 'r2' })).toEqual(['test.b']);
    expect(await found({ action: 'test.a', kind: 'read' })).toEqual(['test.a']);
    expect(await found({ to: new Date('2026-11-20T09:00:00Z') })).toEqual([]);
  });

  it('has one record of a change that ended, and shows one that did not', async () => {
    const [begun] = await log.append([record('change', { kind: 'change' })]);
    await log.append([record('died', { kind: 'change' })]);
    await log.append([record('change', { kind: 'change', beginId: begun!.id, outcome: 'succeeded' })]);
    const { items, total } = await log.list({}, page);
    expect([total, items.map(({ action, outcome }) => [action, outcome])]).toEqual([
      2,
      [
        ['test.change', 'succeeded'],
        ['test.died', null],
      ],
    ]);
    expect(await linesOf()).toHaveLength(3);
  });

  it('stays one chain when many pods append at once', async () => {
    const other = new AuditLog(stores.db);
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 ? log : other).append([record(`p${index}`), record(`q${index}`)]),
      ),
    );
    expect(await log.check(signal)).toMatchObject({ isIntact: true, checked: 120, head: { id: 120 } });
  });

  it('has fingerprints of searches, which find the same text again', async () => {
    const queryHash = await log.fingerprint('hunter2');
    expect(queryHash).toMatch(/^[0-9a-f]{64}$/);
    expect(queryHash).not.toBe(createHash('sha256').update('hunter2').digest('hex'));
    await log.append([record('a', { queryHash }), record('b')]);
    expect((await log.list({ query: 'hunter2' }, page)).items.map(({ action }) => action)).toEqual([
      'test.a',
    ]);
    expect((await log.list({ query: 'hunter3' }, page)).total).toBe(0);
  });
});

describe('the check of the chain', () => {
  beforeEach(() => log.append(Array.from({ length: 6 }, (_, index) => record(`r${index + 1}`))));

  it.each([
    [
      'a changed content',
      `UPDATE audit_records SET content = replace(content, 'r3', 'xx') WHERE id = 3`,
      3,
      'its content was changed',
    ],
    [
      'a changed time',
      `UPDATE audit_records SET at = at - interval '1 s' WHERE id = 4`,
      4,
      'its time was changed',
    ],
    ['a missing record', 'DELETE FROM audit_records WHERE id = 3', 4, 'records before it are missing'],
    ['a missing beginning', 'DELETE FROM audit_records WHERE id < 3', 3, 'records before it are missing'],
    [
      'a content that was hashed again',
      `UPDATE audit_records SET content = replace(content, 'r3', 'xx'), hash = encode(sha256(convert_to(
        previous_hash || E'\\n' || replace(content, 'r3', 'xx'), 'UTF8')), 'hex') WHERE id = 3`,
      4,
      'it does not continue the record before it',
    ],
  ])('names the first broken record after %s', async (_what, sql, id, problem) => {
    await tamper(sql);
    expect(await log.check(signal)).toMatchObject({ isIntact: false, broken: { id, problem } });
  });

  it('finds with a known record that the newest were cut off or all rewritten', async () => {
    const { head } = await log.check(signal);
    expect(await log.check(signal, head!)).toMatchObject({ isIntact: true });
    await tamper('DELETE FROM audit_records WHERE id > 4');
    expect(await log.check(signal)).toMatchObject({ isIntact: true });
    expect(await log.check(signal, head!)).toMatchObject({
      broken: { id: 6, problem: 'the known record is missing' },
    });
    await log.append([record('new'), record('new')]);
    expect(await log.check(signal, head!)).toMatchObject({
      broken: { id: 6, problem: 'the known record had another hash' },
    });
  });
});

describe('the database', () => {
  beforeEach(() => log.append(Array.from({ length: 5 }, (_, index) => record(`r${index + 1}`))));

  it.each([
    ['an update', `UPDATE audit_records SET content = '{}'`],
    ['a deletion of single records', 'DELETE FROM audit_records WHERE id = 3'],
    ['a deletion of the oldest without an anchor', 'DELETE FROM audit_records WHERE id < 3'],
    ['a deletion of all', 'DELETE FROM audit_records'],
    ['a truncation', 'TRUNCATE audit_records'],
  ])('refuses %s of audit records', async (_what, sql) => {
    await expect(stores.db.query(sql)).rejects.toMatchObject({ details: { sqlstate: '23001' } });
    expect(await log.check(signal)).toMatchObject({ isIntact: true, checked: 5 });
  });

  it('refuses to change or delete anchors', async () => {
    await log.deleteBefore(new Date());
    for (const sql of [
      'UPDATE audit_anchors SET last_id = 1',
      'DELETE FROM audit_anchors',
      'TRUNCATE audit_anchors',
    ])
      await expect(stores.db.query(sql)).rejects.toMatchObject({ details: { sqlstate: '23001' } });
    expect(await stores.db.query('SELECT last_id FROM audit_anchors')).toEqual([{ lastId: 4 }]);
  });
});

describe('the retention of audit records', () => {
  it('deletes whole beginnings of the chain, which goes on from the anchor', async () => {
    const old = new Date(Date.now() - 40 * 86_400_000);
    await log.append([record('a', { at: old }), record('b', { at: old }), record('c', { at: new Date() })]);
    await log.append([record('late', { at: old })]);
    const captured = new CapturedLog();
    const clock = { now: () => new Date(), monotonicMs: () => 0 };
    const chore = (days: string) =>
      new DeleteOldAuditRecords(loadConfig({ AUDIT_RETENTION_DAYS: days }), log, clock, captured).run();
    await chore('0');
    expect((await log.list({}, page)).total).toBe(4);
    await chore('30');
    await chore('30');
    expect((await log.list({}, page)).items.map(({ action }) => action)).toEqual(['test.late', 'test.c']);
    expect(captured.lines.map(({ message }) => message)).toEqual(['old audit records deleted']);
    await log.append([record('d')]);
    expect(await log.check(signal)).toMatchObject({ isIntact: true, checked: 3, anchor: { lastId: 2 } });
  });
});
