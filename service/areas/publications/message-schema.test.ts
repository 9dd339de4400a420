import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type {
  PublicationEvent,
  TopicDefinition,
  TopicSchema,
} from '../../../contract/generated/types.gen.ts';
import { makeThings, recalculate, uploadFiles } from '../../testing/entries/entries.ts';
import { as, makePerson, makeSite, onEachApp } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createFillTask } from './fill-topics.ts';

const PUBLICATION = '/api/rest/v1/publication';

onEachApp((context) => {
  test('messages of every topic and field type are valid against the schema of their topic; others are not', async () => {
    const things = await makeThings(context());
    const { api, person } = things;
    const entryTypes = [{ entryTypeId: things.typeId }];
    for (const [name, format] of [
      ['rows', 'Rows'],
      ['constructor', 'Cells'],
    ])
      expect((await api.post(`${PUBLICATION}/topicdefinitions`, { name, format, entryTypes })).status).toBe(
        200,
      );
    const [one = 0] = await things.create({ Name: 'A', Note: 'n'.repeat(10_001) });
    const values = {
      Memo: 'text',
      Stage: things.choice('Stage', 'Open'),
      Tags: [things.choice('Tags', 'Red'), things.choice('Tags', 'Blue')],
      Score: 2,
      Revenue: { value: 2.5, currencyCode: 'EUR' },
      Seen: '2026-03-01T08:00:00Z',
      Founded: '2026-03-01',
      Parent: one,
      Friends: [one],
      Active: true,
      Owner: person.userId,
      Team: [person.userId],
    };
    await things.update(one, values);
    await things.update(one, Object.fromEntries(Object.keys(values).map((name) => [name, null])));
    await uploadFiles(context().app, things, {
      entryId: one,
      files: [{ field: 'Papers', content: Buffer.from('x') }],
    });
    await api.post('user/group', { name: 'G' });
    await recalculate(context().db);
    await things.remove(one);
    await runTask(createFillTask(context()));
    const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
    expect(topics).toHaveLength(5);
    for (const { id, name } of topics) {
      const { body: described } = await api.get<TopicSchema>(`${PUBLICATION}/topicdefinitions/${id}/schema`);
      const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
      addFormats.default(ajv);
      const validate = ajv.compile(described.schema);
      const { body: messages } = await api.post<PublicationEvent[]>(`${PUBLICATION}/poll`, {
        topics: [name],
        timeOut: 0,
        count: 1000,
      });
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages)
        expect([name, validate(message), validate.errors]).toEqual([name, true, null]);
      const [message] = messages;
      expect(validate({ ...message, topicName: 'other' })).toBe(false);
      expect(validate({ ...message, entityType: 'Other' })).toBe(false);
      expect(validate({ ...message, payload: { entities: { created: [{}] } } })).toBe(false);
      const unknown = `${PUBLICATION}/topicdefinitions/${id}/schema?schemaVersion=${described.schemaVersion + 1}`;
      expect((await api.get(unknown)).status).toBe(404);
    }
  });

  test('schemas of earlier versions are kept as long as events can name them', async () => {
    const things = await makeThings(context());
    const { api, siteId } = things;
    const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
    const address = `${PUBLICATION}/topicdefinitions/${topics[0]?.id}/schema`;
    const read = async (version?: number) =>
      (await api.get<TopicSchema>(`${address}${version === undefined ? '' : `?schemaVersion=${version}`}`))
        .body;
    const [one = 0] = await things.create({ Name: 'A' });
    await things.update(one, { Memo: 'text' });
    const { schemaVersion, schema } = await read();
    expect((await api.del(`/api/rest/v4/schema/fields/${things.field('Memo').id}`)).status).toBe(204);
    const now = await read();
    expect(now.schemaVersion).toBeGreaterThan(schemaVersion);
    expect(now.versions.map((each) => each.schemaVersion)).toContain(schemaVersion);
    // Messages name the version whose schema they are valid against (spec 6.2).
    const { body: messages } = await api.post<PublicationEvent[]>(`${PUBLICATION}/poll`, {
      topics: ['default-data'],
      timeOut: 0,
    });
    expect(messages.map((message) => message.schemaVersion)).toEqual([schemaVersion, schemaVersion]);
    const earlier = await read(schemaVersion);
    expect(earlier).toMatchObject({ schemaVersion, schema });
    const isValid = (described: TopicSchema) => {
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      addFormats.default(ajv);
      return ajv.compile(described.schema)(messages[1]);
    };
    expect([isValid(earlier), isValid(now)]).toEqual([true, false]);
    await sql`update schema_version set created_at = now() - interval '10 days' where site_id = ${siteId}`.execute(
      context().db,
    );
    expect((await api.del(`/api/rest/v4/schema/fields/${things.field('Active').id}`)).status).toBe(204);
    expect((await read()).versions.map((each) => each.schemaVersion)).toEqual([
      now.schemaVersion + 1,
      now.schemaVersion,
    ]);
    expect(await read(now.schemaVersion)).toMatchObject({ schema: now.schema });
    expect((await api.get(`${address}?schemaVersion=${schemaVersion}`)).status).toBe(404);
  });

  test('a site without entry types has schemas too', async () => {
    const { app, db } = context();
    const api = as(app, await makePerson(db, await makeSite(db)));
    const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
    for (const { id } of topics) {
      const { body } = await api.get<TopicSchema>(`${PUBLICATION}/topicdefinitions/${id}/schema`);
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      addFormats.default(ajv);
      expect(ajv.compile(body.schema)({})).toBe(false);
    }
  });

  test('the AsyncAPI document of the site is valid and has a channel for each topic', async () => {
    const things = await makeThings(context());
    const definition = { name: 'deals', format: 'Rows', entryTypes: [{ entryTypeId: things.typeId }] };
    await things.api.post(`${PUBLICATION}/topicdefinitions`, definition);
    const { status, body } = await things.api.get<{ channels: object }>('/api/current/asyncapi.json');
    expect(status).toBe(200);
    const file = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
    const ajv = new Ajv({
      strict: false,
      meta: false,
      validateSchema: false,
      allErrors: true,
      logger: false,
    });
    addFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
    expect([validate(body), validate.errors]).toEqual([true, null]);
    expect(Object.keys(body.channels)).toEqual(['default-data', 'default-users', 'default-schema', 'deals']);
    expect(validate({ ...body, channels: { deals: { address: 7 } } })).toBe(false);
  });
});
