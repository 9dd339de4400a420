/** Calls of the service through the session API, to prepare and verify tests. */
import type { APIRequestContext, Page } from '@playwright/test';
import type { Capability, NewUserInfo, UserInfoResponse } from '../../contract/generated/types.gen.ts';
import type { Person } from './data/people.ts';

const SESSION_API = '/console';
const MANAGEMENT = '/api/rest/v1/management';
const headers = { 'X-Steward-Console': '1' };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A user created by a test. */
interface CreatedUser extends Person {
  id: number;
  name: string;
}

export interface ApiCalls {
  /** Calls the management interface; the path is below /api/rest/v1/management. Throws for other statuses than 2xx. */
  call<Answer>(method: Method, path: string, data?: unknown): Promise<Answer>;
  /** Creates a user with a password and the given properties. */
  createUser(info?: Partial<NewUserInfo>): Promise<CreatedUser>;
  /** Creates a group with the capabilities; returns its id. */
  createGroup(name: string, capabilities: readonly Capability[]): Promise<number>;
  getUser(id: number): Promise<UserInfoResponse>;
}

/** Sends a request in the session of the context; throws for other statuses than 2xx. */
export async function sendRequest(request: APIRequestContext, method: Method, path: string, data?: unknown) {
  const response = await request.fetch(`${SESSION_API}${path}`, {
    method,
    headers,
    ...(data !== undefined && { data }),
  });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  const text = await response.text();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

/** Id of the site that the service creates first; without a site id, a sign-in opens the last used one. */
const FIRST_SITE_ID = 1;

/** Starts a session in the cookies of the context, like the sign-in page. */
async function startSession(request: APIRequestContext, { email, password }: Person, siteId = FIRST_SITE_ID) {
  await sendRequest(request, 'POST', '/api/session', { email, password, siteId });
}

let createdUsers = 0;

/** Signs in and returns the calls of that user. */
export async function createCalls(
  request: APIRequestContext,
  person: Person,
  siteId?: number,
): Promise<ApiCalls> {
  await startSession(request, person, siteId);
  const call = async <Answer>(method: Method, path: string, data?: unknown) =>
    (await sendRequest(request, method, `${MANAGEMENT}${path}`, data)) as Answer;
  return {
    call,
    async createUser(info = {}) {
      createdUsers += 1;
      const user = {
        email: `person-${process.pid}-${createdUsers}@people.example`,
        firstName: 'Person',
        lastName: `Number ${createdUsers}`,
        password: 'seven swans a-swimming',
        ...info,
      };
      const id = await call<number>('POST', '/user', user);
      return { ...user, id, name: `${user.firstName} ${user.lastName}` };
    },
    createGroup: async (name, capabilities) => {
      const answer = await call<{ id: number } | number>('POST', '/user/group', { name, capabilities });
      return typeof answer === 'number' ? answer : answer.id;
    },
    getUser: (id) => call('GET', `/user/${id}`),
  };
}

/** Opens a page as a signed-in user; the sign-in page itself is tested in session.test.ts. */
export async function openAs(page: Page, person: Person, path = '/'): Promise<void> {
  // An open page would make calls with the session that is replaced here.
  await page.goto('about:blank');
  await startSession(page.request, person);
  await page.goto(path);
}

/** Ends the session of a page in the service without its knowledge, as an administrator or the time limit can. */
export async function endSession(page: Page): Promise<void> {
  await sendRequest(page.request, 'DELETE', '/api/session');
}
