import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type {
  PublicationEvent,
  TopicDefinition,
  TopicSchema,
} from '../../../contract/generated/types.gen.ts';
import { makeThings, recalculate, uploadFiles } from '../../testing/entries.ts';
import { as, makePerson, makeSite, onEachApp } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createFillTask } from './fill-topics.ts';

const PUBLICATION = '/api/rest/v1/publication';

onEachApp((context) => {
  test('messages of every topic and field type are valid against the schema of their topic; others are not', async () => {
    const things = await makeThings(context());
    const { api, person } = things;
    const entryTypes = [{ entryTypeId: things.typeId }];
    for (const format of ['Rows', 'Cells'])
      expect(
        (
          await api.post(`${PUBLICATION}/topicdefinitions`, {
            name: format.toLowerCase(),
            format,
            entryTypes,
          })
        ).status,
      ).toBe(200);
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
      expect(validate({ ...message, payload: { entities: { created: [{}] } } })).toBe(false);
      const outdated = `${PUBLICATION}/topicdefinitions/${id}/schema?schemaVersion=${described.schemaVersion - 1}`;
      expect((await api.get(outdated)).status).toBe(404);
    }
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
