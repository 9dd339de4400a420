import { randomBytes } from 'node:crypto';
import type {
  DeliveryAttempt,
  Destination,
  NatsCredentials,
} from '../../../../contract/generated/types.gen.ts';
import { badRequest, conflict, type FieldError, notFound } from '../../../kernel/api-error.ts';
import { change, diffProperties, getActor } from '../../../kernel/audit/change.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { noContent, ok, type Handlers, type Services } from '../../../kernel/http/handler.ts';
import { formatEtag, parseTimestamp, requireVersion } from '../../../kernel/http/parameters.ts';
import { validateEgressUrl, validateNatsUrl } from '../../../kernel/network/egress.ts';
import { listTopics } from '../publications.store.ts';
import { createSender, DELIVERY_TASKS, getSecretContext, readDeliveries } from './deliver.ts';
import * as store from './destinations.store.ts';
import type { StoredAttempt, StoredDestination } from './destinations.store.ts';

type Operations =
  | 'listDestinations'
  | 'createDestination'
  | 'getDestination'
  | 'updateDestination'
  | 'deleteDestination'
  | 'listDeliveryAttempts'
  | 'resendEvents';

/** Maximum number of destinations of a site. */
const MAX_DESTINATIONS = 50;
/** Bytes of a signing key (Standard Webhooks: 24 to 64). */
const SECRET_BYTES = 32;
const DEFAULT_ATTEMPTS = 100;

export const destinationHandlers: Handlers<Operations> = {
  async listDestinations({ db, caller }) {
    return ok((await store.listDestinations(db, caller.siteId)).map(toDestination));
  },

  async getDestination({ db, caller, params }) {
    return respondWithDestination(db, caller.siteId, params.destinationId);
  },

  async createDestination(call) {
    const { caller, body, services } = call;
    const { kind = 'Webhook', subject = null, credentials, topicId, url } = body;
    const name = body.name.trim();
    requireContent({ name, kind, url, subject, credentials });
    const key = kind === 'Webhook' ? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` : undefined;
    const secret = encryptSecret(services, caller.siteId, key ?? credentials);
    // Two destinations at the same time could exceed the limit together.
    const id = await change(
      call.db,
      getActor(call),
      async (tx, record) => {
        const topic = (await listTopics(tx, caller.siteId)).find((each) => each.topicId === topicId);
        if (!topic) throw badRequest([{ path: 'topicId', message: `Topic ${topicId} does not exist` }]);
        const destinations = await store.listDestinations(tx, caller.siteId);
        if (destinations.length >= MAX_DESTINATIONS)
          throw conflict(`A site has at most ${MAX_DESTINATIONS} destinations`);
        const created = await store.insertDestination(tx, caller.siteId, {
          topicId,
          name,
          kind,
          url,
          subject,
          secret,
        });
        if (created === undefined) throw nameTaken(name);
        record({
          action: 'destination.create',
          subject: ['destination', created, name],
          changes: diffProperties(undefined, {
            name,
            url,
            topic: topic.name,
            ...(kind === 'JetStream' && { kind, subject, hasCredentials: secret !== null }),
          }),
        });
        return created;
      },
      { lockSite: true },
    );
    const destination = await requireDestination(call.db, caller.siteId, id);
    return ok({ ...toDestination(destination), ...(key !== undefined && { secret: key }) });
  },

  async updateDestination(call) {
    const { caller, body, params, services } = call;
    const { credentials: newCredentials, ...content } = body;
    await change(call.db, getActor(call), async (tx, record) => {
      const before = await requireDestination(tx, caller.siteId, params.destinationId, { lock: true });
      // The signing key of a webhook is no credential, which null would remove.
      const credentials = before.kind === 'Webhook' ? (newCredentials ?? undefined) : newCredentials;
      requireVersion(call.ifMatch, before.version, `destination ${before.id}`);
      const stored = pickContent(before);
      const after = { ...stored, ...content, name: content.name?.trim() ?? stored.name };
      requireContent({ kind: before.kind, ...after, credentials });
      requireOwnAddress(before, after.url, credentials);
      const changes = {
        ...diffProperties(stored, after),
        ...(credentials !== undefined && { credentials: credentials ? 'replaced' : 'removed' }),
      };
      if (Object.keys(changes).length === 0) return;
      const secret =
        credentials === undefined
          ? undefined
          : encryptSecret(services, caller.siteId, credentials ?? undefined);
      if (!(await store.updateDestination(tx, caller.siteId, before.id, { ...after, secret })))
        throw nameTaken(after.name);
      record({ action: 'destination.update', subject: ['destination', before.id, after.name], changes });
    });
    for (const name of DELIVERY_TASKS) call.services.wakeTask(name);
    return respondWithDestination(call.db, caller.siteId, params.destinationId);
  },

  async deleteDestination(call) {
    await change(call.db, getActor(call), async (tx, record) => {
      const before = await requireDestination(tx, call.caller.siteId, call.params.destinationId, {
        lock: true,
      });
      requireVersion(call.ifMatch, before.version, `destination ${before.id}`);
      await store.deleteDestination(tx, call.caller.siteId, before.id);
      record({
        action: 'destination.delete',
        subject: ['destination', before.id, before.name],
        changes: diffProperties(pickContent(before), undefined),
      });
    });
    return noContent;
  },

  async listDeliveryAttempts({ db, caller, params, query }) {
    await requireDestination(db, caller.siteId, params.destinationId);
    const page = { before: query.before, limit: query.limit ?? DEFAULT_ATTEMPTS };
    return ok((await store.listAttempts(db, caller.siteId, params.destinationId, page)).map(toAttempt));
  },

  async resendEvents(call) {
    const { db, caller, params, body, services } = call;
    const { siteId } = caller;
    if ((body.offset === undefined) === (body.since === undefined))
      throw badRequest([{ path: 'body', message: 'must have either offset or since' }]);
    const destination = await requireDestination(db, siteId, params.destinationId);
    const next =
      body.since === undefined
        ? undefined
        : await store.findOffsetSince(db, siteId, destination.topicId, parseTimestamp('since', body.since));
    const [message] =
      body.offset === undefined ? [] : await readDeliveries(db, { siteId, ...destination }, body.offset, 1);
    if (body.offset !== undefined && message?.off !== body.offset)
      throw badRequest([
        { path: 'offset', message: `${destination.topicName} has no kept event ${body.offset}` },
      ]);
    // Address and secret of one moment: new credentials are not sent to the address before.
    const target = await change(db, getActor(call), async (tx, record) => {
      const before = await requireDestination(tx, siteId, destination.id, { lock: true });
      if (next !== undefined)
        await store.rewindDestination(tx, siteId, { ...before, next: Math.min(next, before.next) });
      record({
        action: 'destination.resend',
        subject: ['destination', destination.id],
        changes: body.offset === undefined ? { since: body.since } : { offset: body.offset },
      });
      return { ...before, siteId, secret: await store.getSecret(tx, siteId, before.id) };
    });
    if (!message) {
      for (const name of DELIVERY_TASKS) services.wakeTask(name);
      return ok({ attempts: [] });
    }
    const sender = await createSender(services, target);
    try {
      const { isDelivered: _isDelivered, ...attempt } = await sender.send(message);
      const stored = await store.insertAttempt(db, siteId, destination.id, attempt);
      return ok({ attempts: stored ? [toAttempt(stored)] : [] });
    } finally {
      await sender.close();
    }
  },
};

const pickContent = ({ name, url, subject, isEnabled }: StoredDestination) => ({
  name,
  url,
  subject,
  isEnabled,
});

function toDestination({
  failingSince,
  nextAttemptAt,
  lostDate,
  version,
  hasSecret,
  ...destination
}: StoredDestination): Destination {
  return {
    ...destination,
    ...(destination.kind === 'JetStream' && { hasCredentials: hasSecret }),
    failingSince: failingSince?.toISOString() ?? null,
    nextAttemptDate: failingSince && destination.isEnabled ? nextAttemptAt.toISOString() : null,
    lostDate: lostDate?.toISOString() ?? null,
    etag: formatEtag(version),
  };
}

const toAttempt = ({ at, off, ...attempt }: StoredAttempt): DeliveryAttempt => ({
  ...attempt,
  offset: off,
  date: at.toISOString(),
});

async function requireDestination(db: Db, siteId: number, id: number, options?: { lock: boolean }) {
  const destination = await store.getDestination(db, siteId, id, options);
  if (!destination) throw notFound(`Destination ${id}`);
  return destination;
}

async function respondWithDestination(db: Db, siteId: number, id: number) {
  const destination = await requireDestination(db, siteId, id);
  return ok(toDestination(destination), { etag: formatEtag(destination.version) });
}

const nameTaken = (name: string) =>
  conflict(`A destination named ${name} already exists`, [
    { path: 'name', message: 'is the name of another destination' },
  ]);

/** Encrypts a signing key, or credentials as JSON; null without. */
function encryptSecret(
  { encryption }: Pick<Services, 'encryption'>,
  siteId: number,
  secret: string | NatsCredentials | undefined,
): Buffer | null {
  if (secret === undefined) return null;
  const text = typeof secret === 'string' ? secret : JSON.stringify(secret);
  return encryption.encrypt(Buffer.from(text), getSecretContext(siteId));
}

/** Why a destination of this kind cannot have this name, address, subject and credentials. */
function listIssues({
  name,
  kind,
  url,
  subject,
  credentials,
}: Pick<StoredDestination, 'name' | 'kind' | 'url' | 'subject'> & {
  credentials: NatsCredentials | null | undefined;
}): FieldError[] {
  const isJetStream = kind === 'JetStream';
  const urlIssue = isJetStream ? validateNatsUrl(url) : validateEgressUrl(url);
  const issues: FieldError[] = [
    ...(name === '' ? [{ path: 'name', message: 'must not be empty' }] : []),
    ...(urlIssue === undefined ? [] : [{ path: 'url', message: urlIssue }]),
  ];
  if (isJetStream !== (subject !== null))
    issues.push({
      path: 'subject',
      message: isJetStream ? 'is required for JetStream' : 'is for JetStream only',
    });
  if (!credentials) return issues;
  const { user, password, token, credentialsFile } = credentials;
  if (!isJetStream) issues.push({ path: 'credentials', message: 'are for JetStream only' });
  const ways = [user, token, credentialsFile].filter((each) => each !== undefined);
  if (ways.length !== 1 || (user === undefined) !== (password === undefined))
    issues.push({
      path: 'credentials',
      message: 'must be user and password, token, or credentialsFile',
    });
  return issues;
}

/** @throws ApiError 400 with all issues */
function requireContent(content: Parameters<typeof listIssues>[0]): void {
  const issues = listIssues(content);
  if (issues.length > 0) throw badRequest(issues);
}

/** Credentials that nobody can read are not sent to an address that their owner has not seen. @throws ApiError 400 */
function requireOwnAddress(
  { kind, url, hasSecret }: StoredDestination,
  newUrl: string,
  credentials: NatsCredentials | null | undefined,
): void {
  if (kind === 'JetStream' && hasSecret && url !== newUrl && credentials === undefined)
    throw badRequest([{ path: 'credentials', message: 'must be given again with another url' }]);
}
