/** States that one request alone does not reach: a second factor, acting for another user, a link, a job that can be undone. */
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type {
  Enrolment,
  JobFileLink,
  PasskeyOptions,
  RegisteredPasskey,
} from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import { createPasskey, generateCode } from '../authenticator.ts';
import { type ApiClient, sendForm } from '../calls.ts';
import { createBrowser, enrol, getSessionCookie, signInWithPassword } from '../sign-in.ts';
import { type Person, services } from '../site.ts';
import type { ValuePool } from './values.ts';

/** Address that generated requests come from. */
export const FUZZ_ADDRESS = '10.1.1.1';
/** Address of a destination that refuses all connections at once. */
export const CLOSED_PORT = 'https://127.0.0.1:9/hook';
const SECURITY = '/api/session/security';
const REPORTS = '/api/rest/v4/templatereports';

interface CallerContext {
  app: FastifyInstance;
  db: Db;
  values: ValuePool;
  password: string;
  /** User whom the caller may act for. */
  principalId: number;
}

const createStates = ({ app, db, values, password, principalId }: CallerContext, person: Person) => {
  const { cookie: steward, userId, email } = person;
  const browser = createBrowser(app, { steward });
  const requestChallenge = async (path: string) => (await browser.post<PasskeyOptions>(path)).body.challenge;
  const requestRegistration = () => requestChallenge(`${SECURITY}/passkeys/options`);
  const registerPasskey = async () => {
    const passkey = createPasskey(services.publicUrl);
    const { body } = await browser.post<RegisteredPasskey>(`${SECURITY}/passkeys`, {
      name: 'Laptop',
      passkey: passkey.register(await requestRegistration()),
    });
    values.set('passkeyId', body.passkey.id);
    return passkey;
  };
  return [
    async function enrolled() {
      const { cookie } = await enrol(app, steward);
      values.set('factorUserId', userId);
      return cookie;
    },
    async function acting() {
      await browser.put('/api/session/acting', { userId: principalId, reason: 'Generated' });
      return steward;
    },
    async function enrolling() {
      const { body } = await browser.post<Enrolment>('/api/session/two-factor/enrolment');
      values.set('oneTimeCode', await generateCode(body.secret));
      return steward;
    },
    async function withPasskey() {
      const passkey = await registerPasskey();
      values.set('passkeyProof', passkey.prove(await requestChallenge('/api/session/passkey/options')));
      return steward;
    },
    async function pending() {
      await registerPasskey();
      const { recoveryCodes } = await enrol(app, steward);
      values.set('recoveryCode', ...recoveryCodes);
      return getSessionCookie(await signInWithPassword(app, { email, password, siteId: person.siteId }));
    },
    async function registeringPasskey() {
      const passkey = createPasskey(services.publicUrl).register(await requestRegistration());
      values.set('newPasskey', { name: 'Telephone', passkey });
      return steward;
    },
  ].map((enter) => async () => {
    const cookie = await enter();
    await sql`update session set proven_at = now() where user_id = ${userId}`.execute(db);
    return cookie;
  });
};

/** Puts a person into one of the states, by `turn`. @returns the session token of the person in it */
export async function enterState(context: CallerContext, person: Person, turn: number): Promise<string> {
  const states = createStates(context, person);
  return (await states[turn % states.length]?.()) ?? person.cookie;
}

interface ObjectContext {
  app: FastifyInstance;
  db: Db;
  values: ValuePool;
  /** An administrator, and an API client of this administrator. */
  person: Person;
  api: ApiClient;
  typeId: number;
  /** Bytes of a template of a report. */
  template: Buffer;
}

/** Names what exists now; what requests have deleted is created, and named from the next call on. */
export async function findObjects(context: ObjectContext): Promise<void> {
  const find = createFinder(context);
  await find.invitations();
  await find.destinations();
  await find.reports();
  await find.jobs();
}

interface JobRow {
  id: number;
  kind: string;
  state: string;
  hasFile: boolean;
  isFailed: boolean;
  canUndo: boolean;
}

const createFinder = ({ app, db, values, person, api, typeId, template }: ObjectContext) => {
  const { siteId, userId } = person;
  const setIds = (kind: string, rows: readonly { id: number }[]) =>
    values.set(kind, ...rows.slice(0, 4).map(({ id }) => id));
  return {
    async invitations() {
      const { rows } = await sql<{ id: number }>`select invitation_id as id from invitation
        where site_id = ${siteId} and accepted_at is null and revoked_at is null and expires_at > now()
        order by invitation_id desc limit 4`.execute(db);
      setIds('pendingInvitationId', rows);
      if (rows.length === 0) await api.post('user/invite', { email: values.list('guestEmail')[0], type: 0 });
    },
    async destinations() {
      const { rows } = await sql<{ id: number | null; topicId: number }>`
        select destination_id as id, t.topic_id as "topicId" from topic t
        left join publication_destination d on d.site_id = t.site_id and d.topic_id = t.topic_id
        where t.site_id = ${siteId} order by destination_id desc nulls last limit 4`.execute(db);
      const [first] = rows;
      values.set('destinationId', ...rows.map(({ id }) => id).filter((id) => id !== null));
      const url = CLOSED_PORT;
      if (first && first.id === null)
        await api.post('/api/rest/v1/publication/destinations', {
          topicId: first.topicId,
          name: 'Store',
          url,
        });
    },
    async reports() {
      const { rows } = await sql<{ id: number }>`select template_id as id from report_template
        where site_id = ${siteId} order by template_id desc limit 3`.execute(db);
      setIds('templateId', rows);
      const [first] = rows;
      const runs = { entryIds: values.list('entryId'), format: 'docx' };
      if (first && values.list('waitingRunId').length === 0)
        await api.post(`${REPORTS}/${first.id}/runs`, runs);
      if (first) return;
      await sendForm(app, {
        url: REPORTS,
        token: person.token,
        model: { name: 'Profile', entryTypeId: typeId },
        files: [{ part: 'file', name: 'profile.docx', content: template }],
      });
    },
    async jobs() {
      const { rows } = await sql<JobRow>`
        select j.job_id as id, j.kind, j.state, f.job_id is not null as "hasFile", j.failed > 0 as "isFailed",
          j.done > 0 and u.job_id is null and j.kind = 'licenses.change' as "canUndo"
        from job j
        left join job_file f on f.site_id = j.site_id and f.job_id = j.job_id and f.removed_at is null
        left join job u on u.site_id = j.site_id and u.inverse_of = j.job_id
        where j.site_id = ${siteId} and j.owner_id = ${userId} order by j.job_id desc limit 60`.execute(db);
      const byState = (state: string) => rows.filter((row) => row.state === state);
      const reports = byState('finished').filter(({ kind }) => kind === 'report');
      const others = byState('finished').filter(({ kind }) => kind !== 'report');
      const files = others.filter(({ hasFile }) => hasFile);
      setIds('uploadJobId', byState('uploading'));
      setIds('pausedJobId', byState('paused'));
      setIds('endedJobId', [...others.filter(({ isFailed }) => isFailed), ...files]);
      setIds(
        'undoJobId',
        others.filter(({ canUndo }) => canUndo),
      );
      setIds('fileJobId', files);
      setIds(
        'runId',
        reports.filter(({ hasFile }) => hasFile),
      );
      setIds(
        'waitingRunId',
        byState('waiting').filter(({ kind }) => kind === 'report'),
      );
      const [file] = files;
      if (!file) return;
      const link = await api.post<JobFileLink>(`jobs/${file.id}/file/link`, undefined, {
        remoteAddress: FUZZ_ADDRESS,
      });
      values.set('fileToken', link.body.url.split('/').at(-1));
    },
  };
};

/** Starts jobs whose files and effects later requests name; the next run of jobs runs them. */
export async function startJobs(
  api: ApiClient,
  typeId: number,
  license: { userId: number; licenseTypeId: number },
): Promise<void> {
  await api.post('jobs/entryExports', { entryType: String(typeId), format: 'csv' });
  await api.post('jobs/licenseChanges', { licenses: [license] });
}
