import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { PendingStep } from '../db/tables.ts';
import type { FieldError } from './errors.ts';
import { matchNames, type Schema } from './names.ts';
import { fieldErrors } from './messages.ts';
import { beginsWithDay } from '../../../contract/rules/days.ts';
import { readParameters, unstorableTexts } from './texts.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
}

interface Media {
  schema?: Schema;
}

interface OperationObject {
  operationId: string;
  summary?: string;
  deprecated?: boolean;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, Media> } | { $ref: string };
  responses: Record<string, { content?: Record<string, Media> } | { $ref: string }>;
  security?: Record<string, string[]>[];
  'x-scope'?: string;
  'x-capability'?: string[];
  'x-door'?: 'console';
  'x-half-session'?: PendingStep;
  'x-step-up'?: boolean | string[];
  'x-max-body'?: number;
}

interface Document {
  paths: Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
}

/** What a request may be checked against; every part is optional in a request but not unknown. */
interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** One operation of the contract, as the service routes, guards and validates it. */
export interface Operation {
  id: string;
  summary: string;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Path in the style of the router: `/api/rest/v1/management/user/:userId`. */
  url: string;
  access: 'public' | 'session' | 'bearer';
  scope: string | undefined;
  /** Names of the parameters of path and query, in lower case. */
  parameters: ReadonlySet<string>;
  /** The caller needs any one of these; empty: none. */
  capabilities: readonly string[];
  consoleOnly: boolean;
  /** What a sign-in lacks that may call it besides whole sessions; undefined: none that lacks anything. */
  halfSession: PendingStep | undefined;
  /** Whether a session needs a fresh proof of presence for it. */
  stepUp: boolean;
  /** Properties of its body with whose change alone it needs one: the handler asks (`requirePresence`). */
  stepUpFor: readonly string[];
  deprecated: boolean;
  form: boolean;
  /** Whether the body may come as a form with files (shapes 4). */
  multipart: boolean;
  /** Whether the answer is a file. */
  binary: boolean;
  maxBody: number | undefined;
  /** Renames keys to their spelling in the contract, reads parameters from their texts, and tells every fault. */
  check(parts: RequestParts): { parts: RequestParts; faults: FieldError[] };
  /** Faults of an answer against the contract, unknown properties included; used by the tests. */
  checkAnswer(status: number, body: unknown): FieldError[];
}

export interface Contract {
  document: Document;
  operations: readonly Operation[];
}

const MULTIPART = 'multipart/form-data';
const FORM = 'application/x-www-form-urlencoded';
const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Date-times with or without a zone: without one they are UTC (shapes 1). */
const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[tT]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([zZ]|[+-]\d{2}:\d{2})?$/;

/** Points local references of a schema into the one document that Ajv holds under the name `contract`. */
function qualify<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/')) as T;
}

/** A copy in which every object schema with named properties refuses others: answers say what the contract says. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closed(value)]),
  );
  if (
    typeof copy['properties'] === 'object' &&
    copy['type'] !== undefined &&
    copy['additionalProperties'] === undefined
  ) {
    copy['additionalProperties'] = false;
  }
  return copy;
}

function makeAjv(document: object): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    useDefaults: true,
    verbose: true,
  });
  addFormats.default(ajv);
  ajv.addFormat('date-time', {
    type: 'string',
    validate: (text: string) => DATE_TIME.test(text) && beginsWithDay(text),
  });
  return ajv.addSchema({ $id: 'contract', ...document });
}

type Deref = <T extends object>(node: T | { $ref: string }) => T;

/** Follows local references of the document. */
const derefIn =
  (document: Document): Deref =>
  <T extends object>(node: T | { $ref: string }): T => {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
    const path = node.$ref
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
  };

/** Compiles a schema at its first use and keeps it: a start does not wait for the validators of all operations. */
function lazily(ajv: () => Ajv2020, schema: Schema): (value: unknown) => FieldError[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv().compile(qualify(schema));
    return validate(value) ? [] : fieldErrors(validate.errors ?? []);
  };
}

type Part = (value: unknown) => { value: unknown; faults: FieldError[] };

/** Path or query parameters: names as the contract spells them, texts as values of their types, then the schema. */
function parameterPart(schema: Schema, ajv: () => Ajv2020, deref: Deref): Part {
  const faultsOf = lazily(ajv, schema);
  return (given) => {
    const named = matchNames(given, schema, deref);
    const value = readParameters(Object(named.value), schema, deref);
    return { value, faults: [...faultsOf(value), ...named.faults, ...unstorableTexts(value)] };
  };
}

/** A JSON body or a form: names as the contract spells them, then the schema. A list that is too long is not looked into. */
function bodyPart(schema: Schema, ajv: () => Ajv2020, deref: Deref): Part {
  const faultsOf = lazily(ajv, schema);
  return (given) => {
    const { value, faults } = matchNames(given, schema, deref);
    if (faults.length > 0) return { value, faults };
    return { value, faults: [...faultsOf(value), ...unstorableTexts(value)] };
  };
}

const untouched: Part = (value) => ({ value, faults: [] });

/** The check of a whole request: every fault of its three parts at once. */
function requestCheck(
  spec: OperationObject,
  parameters: readonly Parameter[],
  ajv: () => Ajv2020,
  deref: Deref,
): Operation['check'] {
  const [path, query] = (['path', 'query'] as const).map((where) => {
    const schema = parametersSchema(parameters, where);
    return schema ? parameterPart(schema, ajv, deref) : untouched;
  });
  const requestBody = spec.requestBody && deref(spec.requestBody);
  const schema =
    requestBody && (requestBody.content['application/json'] ?? requestBody.content[FORM])?.schema;
  const body = schema ? bodyPart(schema, ajv, deref) : untouched;
  return (given) => {
    const params = (path ?? untouched)(given.params);
    const search = (query ?? untouched)(given.query);
    const content =
      given.body === undefined && requestBody?.required
        ? { value: undefined, faults: [{ path: 'body', message: 'is required' }] }
        : (given.body === undefined ? untouched : body)(given.body);
    return {
      parts: { params: params.value, query: search.value, body: content.value },
      faults: [...params.faults, ...search.faults, ...content.faults],
    };
  };
}

/** The check of an answer against what the contract says for its status, unknown properties refused. */
function answerCheck(spec: OperationObject, ajv: () => Ajv2020, deref: Deref): Operation['checkAnswer'] {
  const compiled = new Map<number, (value: unknown) => FieldError[]>();
  return (status, answer) => {
    const declared = spec.responses[String(status)] ?? spec.responses['default'];
    if (!declared) return [{ path: 'status', message: `${status} is not an answer of ${spec.operationId}` }];
    const schema = deref(declared).content?.['application/json']?.schema;
    if (!schema) return [];
    const faultsOf = compiled.get(status) ?? lazily(ajv, closed(schema) as Schema);
    compiled.set(status, faultsOf);
    return faultsOf(answer);
  };
}

function accessOf(security: readonly Record<string, string[]>[]): Operation['access'] {
  if (security.length === 0) return 'public';
  return security.some((scheme) => 'session' in scheme) ? 'session' : 'bearer';
}

/** Whether a success of the operation is something else than JSON. */
function answersFile(spec: OperationObject, deref: Deref): boolean {
  const { '200': success } = spec.responses;
  const content = success && deref(success).content;
  return content !== undefined && content['application/json'] === undefined;
}

/** Loads the bundled contract and makes an operation of each method on each path. */
export function loadContract(file: URL): Contract {
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const deref = derefIn(document);
  const requests = once(() => makeAjv(document));
  const answers = once(() => makeAjv(closed(document) as object));
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): Operation => {
      const spec = item[method] as OperationObject;
      const shared = (item['parameters'] as OperationObject['parameters']) ?? [];
      const parameters = [...shared, ...(spec.parameters ?? [])].map((each) => deref<Parameter>(each));
      const content = spec.requestBody ? deref(spec.requestBody).content : undefined;
      return {
        id: spec.operationId,
        summary: spec.summary ?? spec.operationId,
        method: method.toUpperCase() as Operation['method'],
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        access: accessOf(spec.security ?? document.security ?? []),
        scope: spec['x-scope'],
        parameters: new Set(
          parameters
            .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
            .map(({ name }) => name.toLowerCase()),
        ),
        capabilities: spec['x-capability'] ?? [],
        consoleOnly: spec['x-door'] === 'console',
        halfSession: spec['x-half-session'],
        stepUp: spec['x-step-up'] === true,
        stepUpFor: Array.isArray(spec['x-step-up']) ? spec['x-step-up'] : [],
        deprecated: spec.deprecated ?? false,
        form: content?.[FORM] !== undefined,
        multipart: content?.[MULTIPART] !== undefined,
        binary: answersFile(spec, deref),
        maxBody: spec['x-max-body'],
        check: requestCheck(spec, parameters, requests, deref),
        checkAnswer: answerCheck(spec, answers, deref),
      };
    }),
  );
  return { document, operations };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** All parameters of one place as one object schema; what the contract does not name is refused. */
function parametersSchema(parameters: readonly Parameter[], where: Parameter['in']): Schema | undefined {
  const here = parameters.filter((parameter) => parameter.in === where);
  if (here.length === 0 && where !== 'query') return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(here.map((parameter) => [parameter.name, parameter.schema])),
    required: here.filter((parameter) => parameter.required).map((parameter) => parameter.name),
    additionalProperties: false,
  };
}
