// Tests what every REST collection promises: notes, reading, paging, changing with versions, deleting.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, invalidField, notFound, successOf } from './answers.ts';
import type { CollectionSample } from './samples.ts';
import { type Client, type RestAnswer, startService, type TestService } from './service.ts';

const description255 = `${'😀'.repeat(63)}abc`;
const metadata4096 = `${'€'.repeat(1365)}a`;

const wrongTexts: [string, string, string][] = [
  ['a number', '5', 'must be a string or null.'],
  ['a boolean', 'true', 'must be a string or null.'],
  ['a list', '["a"]', 'must be a string or null.'],
  ['an object', '{"a":"b"}', 'must be a string or null.'],
  ['NUL', '"a\\u0000b"', 'must not contain the NUL character (U+0000).'],
  ['half of a pair', '"\\ud83d"', 'must be well-formed Unicode; it contains an unpaired surrogate.'],
];

/** Tests what all collections promise, on one service with an account for each test. */
export function testResource(resource: CollectionSample): void {
  const { listField, unknownId, objectsAtStart } = resource;

  let shared: TestService;
  let current: TestService;
  /** The path of the current account's collection. */
  let path: string;
  const service = () => current;
  const placeOf = async (client: Client) => (await resource.placeOf?.(client)) ?? resource.path;
  beforeAll(async () => {
    shared = await startService();
  });
  beforeEach(async () => {
    current = await shared.asNewAccount();
    path = await placeOf(current);
  });
  afterAll(async () => {
    expect(shared.failures).toEqual([]);
    await shared.close();
  });

  /** The values, after the creation, of fields that only the creation shows. */
  const hidden = Object.fromEntries((resource.shownOnce ?? []).map((name) => [name, null]));

  const create = async (client: Client, notes: object = {}) => {
    const answer = await client.rest('POST', await placeOf(client), { ...(await resource.required(client)), ...notes });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const read = async (id: string) => successOf(await service().rest('GET', `${path}/${id}`));
  const other = () => service().otherAccount('other');
  const listed = async () => (await service().rest('GET', path)).body[listField];

  /** Ids that match nothing in this account: each is answered with the same 404. */
  const ids404: [string, () => Promise<string>][] = [
    ['the id of another account', async () => (await create(await other())).id],
    ['an unknown id', async () => unknownId],
    ['an id of another kind', async () => unknownId.replace(/^[a-z]+/, 'acct')],
    ['a malformed id', async () => 'nonsense'],
    ['an id in upper case', async () => (await create(service())).id.toUpperCase()],
    ['an encoded NUL', async () => `${unknownId.slice(0, -3)}%00`],
  ];

  const testNotesRules = (send: (body: string | object) => Promise<RestAnswer>, successStatus: number) => {
    test('takes 255 bytes of description and 4096 of metadata, and gives them back exactly', async () => {
      const notes = { description: description255, metadata: metadata4096 };
      const { status, body } = await send(notes);
      expect({ status, body }).toEqual({ status: successStatus, body: { ...body, ...notes } });
      expect((await read(body.id)).body).toEqual({ ...body, ...hidden });
    });

    test.each([
      ['description', `${description255}d`, 'must be at most 255 bytes of UTF-8; it has 256.'],
      ['metadata', `${metadata4096}d`, 'must be at most 4096 bytes of UTF-8; it has 4097.'],
    ])('refuses a %s of one byte more', async (field, text, problem) => {
      expect(failureOf(await send({ [field]: text }))).toEqual(invalidField(field, problem));
    });

    test.each(wrongTexts)('refuses %s in a note', async (_, json, problem) => {
      expect(failureOf(await send(`{"description":${json}}`))).toEqual(invalidField('description', problem));
      expect(failureOf(await send(`{"metadata":${json}}`))).toEqual(invalidField('metadata', problem));
    });

    test.each([
      ['uri', 'https://sallyport.test/'],
      ['created_at', '2026-11-20T21:00:00Z'],
    ])('refuses to set %s', async (field, value) => {
      expect(failureOf(await send({ [field]: value }))).toEqual(
        invalidField(field, 'is set by the server. Leave it out.', 'READ_ONLY_FIELD'),
      );
    });

    test('tolerates an unknown field that is null', async () => {
      expect((await send({ descripton: null })).status).toBe(successStatus);
    });
  };

  const testVersionRules = (send: (id: string, headers: Record<string, string>) => Promise<RestAnswer>) => {
    test.each(['"1"', ' "1" ', 'W/"1"', '"9", "a,b" ,, W/"1"', '*'])(
      'goes through with If-Match: %s',
      async (value) => {
        const { id } = await create(service());
        expect((await send(id, { 'If-Match': value })).status).toBeLessThan(300);
      },
    );

    test('is refused with another version in If-Match, and changes nothing', async () => {
      const { id } = await create(service());
      expect(failureOf(await send(id, { 'If-Match': '"2"' }))).toEqual({
        status: 412,
        code: 'VERSION_CONFLICT',
        msg: 'The object has changed; it is at version 1. Read it again and retry the change.',
      });
      expect(await read(id)).toMatchObject({ status: 200, etag: '"1"' });
    });

    test.each(['"2", "9"', 'W/"2"', '""', '"one"', '"-1"', '"01"', '"1,2"'])(
      'fails with If-Match: %s',
      async (value) => {
        const { id } = await create(service());
        expect(failureOf(await send(id, { 'If-Match': value })).status).toBe(412);
      },
    );

    test.each(['1', 'w/"1"', '"1" "2"', '"1', ',', '""1"'])('refuses If-Match: %s', async (value) => {
      const { id } = await create(service());
      expect(failureOf(await send(id, { 'If-Match': value }))).toEqual(
        invalidField('If-Match', 'must have ETags from earlier answers, such as "1".'),
      );
      expect(await read(id)).toMatchObject({ status: 200, etag: '"1"' });
    });

    test.each(ids404)('finds nothing under %s, whatever version it expects', async (_, idOf) => {
      const id = await idOf();
      expect(failureOf(await send(id, {}))).toEqual(notFound);
      expect(failureOf(await send(id, { 'If-Match': '"7"' }))).toEqual(notFound);
    });
  };

  describe(`POST ${resource.path}`, () => {
    const send = async (body: string | object) => {
      const required = await resource.required(service());
      // Concatenated as text, because `JSON.stringify` would not produce some of the bodies.
      const joint = Object.keys(required).length === 0 ? '' : ',';
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return service().rest('POST', path, `${JSON.stringify(required).slice(0, -1)}${joint}${text.slice(1)}`);
    };
    testNotesRules(send, 201);

    test.each(['null', '""'])('takes %s in a note for nothing given', async (json) => {
      const { status, body } = await send(`{"description":${json},"metadata":${json}}`);
      expect({ status, description: body.description, metadata: body.metadata }).toEqual({
        status: 201,
        description: '',
        metadata: '',
      });
    });

    test('refuses an id of the client', async () => {
      expect(failureOf(await send({ id: unknownId }))).toEqual(
        invalidField('id', 'is set by the server. Leave it out.', 'READ_ONLY_FIELD'),
      );
    });

    test('refuses a query parameter', async () => {
      expect(failureOf(await service().rest('POST', `${path}?description=a`, {}))).toEqual(
        invalidField('description', 'is not a query parameter of this route. It accepts none.', 'UNKNOWN_FIELD'),
      );
    });

    test('makes nothing when it fails', async () => {
      await send({ description: `${description255}d` });
      expect(await listed()).toHaveLength(objectsAtStart);
    });

    test('refuses an unknown field, and names those that there are', async () => {
      expect(failureOf(await send({ descripton: 'typo' }))).toEqual(
        invalidField(
          'descripton',
          `is not a field of this route. Accepted: ${resource.createFields}.`,
          'UNKNOWN_FIELD',
        ),
      );
    });
  });

  describe(`GET ${resource.path}/{id}`, () => {
    test('answers with what the creation answered, and the version', async () => {
      const created = await create(service(), { description: 'a', metadata: 'b' });
      expect(await read(created.id)).toEqual({
        status: 200,
        etag: '"1"',
        body: { ...created, ...hidden },
      });
    });

    test('answers 304 without a body to the version that the client has', async () => {
      const { id } = await create(service());
      const ask = (etag: string) => service().rest('GET', `${path}/${id}`, undefined, { 'If-None-Match': etag });
      const same = await ask('"1"');
      expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, undefined, '"1"']);
      expect((await ask('"0", "1"')).status).toBe(304);
      expect((await ask('"2"')).status).toBe(200);

      await service().rest('PATCH', `${path}/${id}`, { description: 'changed' });
      const changed = await ask('"1"');
      expect([changed.status, changed.body.description, changed.headers.get('etag')]).toEqual([200, 'changed', '"2"']);
    });

    test.each(ids404)('finds nothing under %s', async (_, idOf) => {
      expect(failureOf(await service().rest('GET', `${path}/${await idOf()}`))).toEqual(notFound);
    });

    test('refuses a query parameter', async () => {
      expect(failureOf(await service().rest('GET', `${path}/${unknownId}?fields=id`))).toEqual(
        invalidField('fields', 'is not a query parameter of this route. It accepts none.', 'UNKNOWN_FIELD'),
      );
    });
  });

  describe(`GET ${resource.path}`, () => {
    const createMany = async (count: number): Promise<string[]> => {
      const { body } = await service().rest('GET', path);
      const ids: string[] = body[listField].map(({ id }: { id: string }) => id);
      for (let made = 0; made < count; made += 1) ids.unshift((await create(service(), { description: `${made}` })).id);
      return ids;
    };
    const pageOf = async (query: string) => {
      const { status, etag, body } = successOf(await service().rest('GET', `${path}${query}`));
      expect({ status, etag }).toEqual({ status: 200, etag: null });
      expect(Object.keys(body)).toEqual([listField, 'uri', 'next_page_uri']);
      expect(body.uri).toBe(`https://sallyport.test${path}`);
      return { ids: body[listField].map(({ id }: { id: string }) => id), next: body.next_page_uri };
    };

    test('lists the objects as they are read one by one, newest first', async () => {
      const ids = await createMany(2);
      const { body } = await service().rest('GET', path);
      expect(body[listField]).toEqual(await Promise.all(ids.map(async (id) => (await read(id)).body)));
      expect(body.next_page_uri).toBeNull();
    });

    test('lists nothing of another account', async () => {
      const { id } = await create(await other());
      expect((await pageOf('')).ids).toHaveLength(objectsAtStart);
      expect((await pageOf('')).ids).not.toContain(id);
    });

    test('leads from page to page over every object once, and never to an empty page', async () => {
      const ids = await createMany(5 - objectsAtStart);
      const first = await pageOf('?limit=2');
      expect(first).toEqual({
        ids: ids.slice(0, 2),
        next: `https://sallyport.test${path}?limit=2&before_id=${ids[1]}`,
      });
      const second = await pageOf(first.next.slice(`https://sallyport.test${path}`.length));
      expect(second).toEqual({
        ids: ids.slice(2, 4),
        next: `https://sallyport.test${path}?limit=2&before_id=${ids[3]}`,
      });
      expect(await pageOf(second.next.slice(`https://sallyport.test${path}`.length))).toEqual({
        ids: ids.slice(4),
        next: null,
      });
    });

    test('leads nowhere from a page that is just full', async () => {
      const ids = await createMany(2 - objectsAtStart);
      expect(await pageOf('?limit=2')).toEqual({ ids, next: null });
    });

    test('pages on exactly after the object at the seam was deleted, and past newer ones', async () => {
      const ids = await createMany(4);
      await service().rest('DELETE', `${path}/${ids[1]}`);
      await create(service());
      expect((await pageOf(`?limit=2&before_id=${ids[1]}`)).ids).toEqual(ids.slice(2, 4));
    });

    test('takes beforeId for before_id', async () => {
      const ids = await createMany(2);
      expect((await pageOf(`?beforeId=${ids[0]}`)).ids).toEqual(ids.slice(1));
    });

    test.each(['1', '100'])('takes a limit of %s', async (limit) => {
      await createMany(2);
      expect((await pageOf(`?limit=${limit}`)).ids).toHaveLength(Math.min(Number(limit), 2 + objectsAtStart));
    });

    test.each(['0', '101', '-1'])('refuses a limit of %s', async (limit) => {
      expect(failureOf(await service().rest('GET', `${path}?limit=${limit}`))).toEqual(
        invalidField('limit', 'must be from 1 to 100.'),
      );
    });

    test.each(['', 'ten', '1.5', '1e2', '99999999999', '2147483648'])('refuses "%s" as a limit', async (limit) => {
      expect(failureOf(await service().rest('GET', `${path}?limit=${limit}`))).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        field: 'limit',
      });
    });

    test.each(['', 'nonsense', 'acct_01h455vb4pex5vsknk084sn02q'])('refuses "%s" as before_id', async (id) => {
      expect(failureOf(await service().rest('GET', `${path}?before_id=${id}`))).toEqual(
        invalidField('before_id', 'must be a cursor from an earlier page of this list.'),
      );
    });

    test('refuses a parameter that is given twice', async () => {
      expect(failureOf(await service().rest('GET', `${path}?limit=1&limit=2`))).toEqual(
        invalidField('limit', 'must not be given twice.'),
      );
    });

    test('refuses an unknown parameter', async () => {
      expect(failureOf(await service().rest('GET', `${path}?page=2`))).toEqual(
        invalidField(
          'page',
          `is not a query parameter of this route. Accepted: ${['limit', 'before_id', ...(resource.filters ?? [])].join(', ')}.`,
          'UNKNOWN_FIELD',
        ),
      );
    });
  });

  describe(`PATCH ${resource.path}/{id}`, () => {
    testNotesRules(async (body) => {
      const { id } = await create(service());
      return service().rest('PATCH', `${path}/${id}`, body);
    }, 200);
    testVersionRules((id, headers) => service().rest('PATCH', `${path}/${id}`, { description: 'new' }, headers));

    test.each([
      ['an empty object', {}],
      ['no body', undefined],
    ])('changes nothing with %s', async (_, body) => {
      const created = await create(service(), { description: 'a', metadata: 'b' });
      const before = await read(created.id);
      expect(successOf(await service().rest('PATCH', `${path}/${created.id}`, body))).toEqual(before);
      expect(await read(created.id)).toEqual(before);
    });

    test('checks If-Match also when there is nothing to change', async () => {
      const { id } = await create(service());
      const answer = await service().rest('PATCH', `${path}/${id}`, {}, { 'If-Match': '"2"' });
      expect(failureOf(answer)).toMatchObject({ status: 412, code: 'VERSION_CONFLICT' });
    });

    test('keeps the note that it leaves out, and counts the version up', async () => {
      const { id } = await create(service(), { description: 'a', metadata: 'b' });
      const before = await read(id);
      const first = successOf(await service().rest('PATCH', `${path}/${id}`, { description: 'new' }));
      expect(first).toEqual({ status: 200, etag: '"2"', body: { ...before.body, description: 'new' } });
      const second = successOf(await service().rest('PATCH', `${path}/${id}`, { metadata: 'newer' }));
      expect(second).toEqual({ status: 200, etag: '"3"', body: { ...first.body, metadata: 'newer' } });
      expect(await read(id)).toEqual(second);
    });

    test.each(['', null])('clears the notes with %j', async (empty) => {
      const { id } = await create(service(), { description: 'a', metadata: 'b' });
      const before = await read(id);
      const answer = await service().rest('PATCH', `${path}/${id}`, { description: empty, metadata: empty });
      const body = { ...before.body, description: '', metadata: '' };
      expect(successOf(answer)).toEqual({ status: 200, etag: '"2"', body });
    });

    test('keeps the time of creation', async () => {
      const { id } = await create(service());
      service().setTime(new Date('2027-01-01T00:00:00Z'));
      const { body } = await service().rest('PATCH', `${path}/${id}`, { description: 'later' });
      expect([body.created_at, body.description]).toEqual(['2026-11-20T21:00:00Z', 'later']);
    });

    test('tolerates the id of the path in the body, and refuses another one', async () => {
      const { id } = await create(service());
      expect((await service().rest('PATCH', `${path}/${id}`, { id })).status).toBe(200);
      expect(failureOf(await service().rest('PATCH', `${path}/${id}`, { id: unknownId }))).toEqual(
        invalidField('id', 'must equal the one in the path or be omitted.'),
      );
    });

    test('refuses an unknown field, and names those that there are', async () => {
      const { id } = await create(service());
      expect(failureOf(await service().rest('PATCH', `${path}/${id}`, { descripton: 'typo' }))).toEqual(
        invalidField(
          'descripton',
          `is not a field of this route. Accepted: ${resource.updateFields}.`,
          'UNKNOWN_FIELD',
        ),
      );
    });

    test('lets one of many win that change the same version at once', async () => {
      const { id } = await create(service());
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          service().rest('PATCH', `${path}/${id}`, { description: `${index}` }, { 'If-Match': '"1"' }),
        ),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
      expect((await read(id)).body).toEqual(winners[0]?.body);
    });

    test('leaves the object of another account as it is', async () => {
      const stranger = await other();
      const theirs = await create(stranger, { description: 'theirs' });
      await service().rest('PATCH', `${path}/${theirs.id}`, { description: 'ours' });
      const { body, headers } = await stranger.rest('GET', `${await placeOf(stranger)}/${theirs.id}`);
      expect([body.description, headers.get('etag')]).toEqual(['theirs', '"1"']);
    });
  });

  describe(`DELETE ${resource.path}/{id}`, () => {
    testVersionRules((id, headers) => service().rest('DELETE', `${path}/${id}`, undefined, headers));

    test('answers 204 without a body, and the object is gone', async () => {
      const { id } = await create(service());
      const answer = await service().rest('DELETE', `${path}/${id}`);
      expect(successOf(answer)).toEqual({ status: 204, etag: null, body: undefined });
      expect(answer.headers.get('content-length')).toBeNull();
      expect(failureOf(await service().rest('GET', `${path}/${id}`))).toEqual(notFound);
      expect(await listed()).toHaveLength(objectsAtStart);
    });

    test('is 404 the second time', async () => {
      const { id } = await create(service());
      await service().rest('DELETE', `${path}/${id}`);
      expect(failureOf(await service().rest('DELETE', `${path}/${id}`))).toEqual(notFound);
    });

    test('leaves the object of another account where it is', async () => {
      const stranger = await other();
      const theirs = await create(stranger);
      expect(failureOf(await service().rest('DELETE', `${path}/${theirs.id}`))).toEqual(notFound);
      expect((await stranger.rest('GET', `${await placeOf(stranger)}/${theirs.id}`)).status).toBe(200);
    });
  });
}
