import { expect, test } from 'vitest';
import {
  destinationSchema,
  toDestinationChange,
  toDestinationInput,
  toNewDestination,
  type DestinationInput,
} from './destinations.ts';

const nats: DestinationInput = {
  ...toDestinationInput(),
  topicId: 9,
  name: 'Bus',
  kind: 'JetStream',
  url: 'tls://nats.example.com:4222',
  subject: 'steward.deals',
};
const listErrors = (input: DestinationInput) =>
  Object.fromEntries(
    (destinationSchema.safeParse(input).error?.issues ?? []).map(({ path, message }) => [path[0], message]),
  );

const parse = (input: DestinationInput) => destinationSchema.parse(input);

test('a destination of NATS needs a subject and what its sign-in asks for', () => {
  expect(listErrors(nats)).toEqual({});
  expect(listErrors({ ...nats, subject: 'deals.*', signIn: 'password' })).toEqual({
    subject: 'Enter a subject such as steward.deals, without wildcards',
    user: 'Enter a user',
    password: 'Enter a password',
  });
  expect(Object.keys(listErrors({ ...nats, signIn: 'token' }))).toEqual(['token']);
  expect(Object.keys(listErrors({ ...nats, signIn: 'file' }))).toEqual(['credentialsFile']);
  expect(listErrors({ ...nats, url: 'nats' }).url).toContain('tls://nats.example.com:4222');
  // What the other kind needs is not asked for.
  expect(listErrors({ ...nats, kind: 'Webhook', url: 'https://a.example', subject: '' })).toEqual({});
});

test('requests have what the kind needs only; credentials that are kept are not sent', () => {
  expect(toNewDestination(parse({ ...nats, kind: 'Webhook', url: 'https://a.example' }))).toEqual({
    topicId: 9,
    name: 'Bus',
    url: 'https://a.example',
  });
  expect(
    toNewDestination(parse({ ...nats, signIn: 'password', user: 'steward', password: 'secret' })),
  ).toEqual({
    topicId: 9,
    name: 'Bus',
    kind: 'JetStream',
    url: 'tls://nats.example.com:4222',
    subject: 'steward.deals',
    credentials: { user: 'steward', password: 'secret' },
  });
  const change = { name: 'Bus', url: 'tls://nats.example.com:4222', subject: 'steward.deals' };
  expect([
    toDestinationChange(parse({ ...nats, signIn: 'keep' })),
    toDestinationChange(parse({ ...nats, signIn: 'none' })),
    toDestinationChange(parse({ ...nats, signIn: 'token', token: 't' })),
  ]).toEqual([change, { ...change, credentials: null }, { ...change, credentials: { token: 't' } }]);
});
