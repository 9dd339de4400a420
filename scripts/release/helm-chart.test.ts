/**
 * The chart in deploy/helm: with `helm`, where it is installed, it is linted and rendered; without it, its values, the form of its
 * templates and the names in them are checked.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../service/kernel/config.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const chart = join(root, 'deploy/helm/steward');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readChart = (path: string): string => readFileSync(join(chart, path), 'utf8');
const readValues = (): Record<string, unknown> =>
  z.record(z.string(), z.unknown()).parse(parse(readChart('values.yaml')));

const templates = readdirSync(join(chart, 'templates')).map((name) => ({
  name,
  text: readChart(join('templates', name)),
}));
const manifests = templates.filter(({ name }) => name.endsWith('.yaml'));

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

test('the version of the application is that of the project', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
  expect(parse(readChart('Chart.yaml'))).toMatchObject({ apiVersion: 'v2', appVersion: version });
});

describe('values', () => {
  const schema = z.record(z.string(), z.unknown()).parse(JSON.parse(readChart('values.schema.json')));
  const isValid = new Ajv({ strict: true, strictTypes: false }).compile(schema);

  test('are valid as they are shipped', () => {
    isValid(readValues());
    expect(isValid.errors).toBeNull();
  });

  test.each([
    ['a misspelled name', { replica: 3 }],
    ['an address without protocol', { publicUrl: 'steward.example' }],
    ['no process', { replicas: 0 }],
    ['a setting that the chart makes', { settings: { PORT: '80' } }],
    ['a setting that is no text', { settings: { STEWARD_COPY_HOURS: 6 } }],
  ])('are refused with %s', (_name, values) => expect(isValid({ ...readValues(), ...values })).toBe(false));

  test('are those that the templates use', () => {
    const values = readValues();
    const text = templates.map((template) => template.text).join('\n');
    const used = [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path.split('.'));
    const isKnown = (path: readonly string[]): boolean => {
      let value: unknown = values;
      for (const name of path) {
        const members = z.record(z.string(), z.unknown()).safeParse(value);
        if (!members.success || !Object.hasOwn(members.data, name)) return false;
        value = members.data[name];
      }
      return true;
    };
    expect(used.filter((path) => !isKnown(path))).toEqual([]);
    expect(new Set(used.map(([name]) => name))).toEqual(new Set(Object.keys(values)));
  });

  test('name none of the settings that the chart makes, all of which the service knows', () => {
    const text = templates.map((template) => template.text).join('\n');
    const made = [...text.matchAll(/- name: ([A-Z_]+)$|"name" "([A-Z_]+)"/gm)].map(
      ([, plain, secret]) => plain ?? secret ?? '',
    );
    const readme = read('README.md');
    expect(made.length).toBeGreaterThan(8);
    expect(made.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
    const refused = made.filter((name) => !isValid({ ...readValues(), settings: { [name]: 'a' } }));
    expect(refused).toEqual(made);
  });
});

/** A template without its actions: lines of them are removed, and those within a line have the value x. */
const removeActions = (text: string): string =>
  text.replaceAll(/^[ \t]*\{\{.*\}\}[ \t]*\n/gm, '').replaceAll(/\{\{.*?\}\}/g, 'x');

describe('templates', () => {
  test.each(templates)('$name closes its blocks', ({ text }) => {
    const actions = [...text.matchAll(/\{\{-? *(?:\/\*)?(.*?)\}\}/g)].map(([, action = '']) => action.trim());
    const open = actions.filter((action) => /^(?:if|with|range|define)\b/.test(action));
    expect(actions.filter((action) => /^end\b/.test(action))).toHaveLength(open.length);
  });

  test.each(manifests)('$name is YAML with the members that every object has', ({ text }) => {
    // Branches of a condition may have the same member.
    const documents = parseAllDocuments(removeActions(text), { uniqueKeys: false });
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    for (const document of documents) expect(() => Manifest.parse(document.toJS())).not.toThrow();
  });

  test('have the probes of the service and the paths of the image', () => {
    const deployment = templates.find(({ name }) => name === 'deployment.yaml')?.text ?? '';
    const probes = [...deployment.matchAll(/httpGet: \{ path: (\S+), port: http \}/g)].map(
      ([, path]) => path,
    );
    expect(probes).toEqual(['/livez', '/livez', '/readyz']);
    const image = read('deploy/Dockerfile');
    const [, folder = ''] = /DATA_DIR=(\S+)/.exec(image) ?? [];
    expect(deployment).toContain(`mountPath: ${folder}\n`);
    const [, port = ''] = / PORT=(\d+)/.exec(image) ?? [];
    expect(deployment).toContain(`containerPort: ${port}\n`);
    const [, user = ''] = /--uid (\d+)/.exec(image) ?? [];
    const [, group = ''] = /--gid (\d+)/.exec(image) ?? [];
    const helpers = templates.find(({ name }) => name === '_helpers.tpl')?.text ?? '';
    expect(helpers).toContain(`runAsUser: ${user}\nrunAsGroup: ${group}\nfsGroup: ${group}\n`);
    const job = templates.find(({ name }) => name === 'migration.yaml')?.text ?? '';
    const [, command = ''] = /command: \[\/opt\/steward\/(\S+), migrate, --run\]/.exec(job) ?? [];
    expect(() => read(command)).not.toThrow();
  });
});

/** The objects that helm makes with these values instead of the default ones. */
const render = (values: object): z.infer<typeof Manifest>[] => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-chart-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const output = execFileSync('helm', ['template', 'steward', chart, '--values', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return parseAllDocuments(output)
      .map((document): unknown => document.toJS())
      .filter((document) => document !== null)
      .map((document) => Manifest.parse(document));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const listKinds = (objects: readonly { kind: string }[]): string[] =>
  objects.map(({ kind }) => kind).toSorted();

const hasHelm = spawnSync('helm', ['version']).status === 0;

describe.skipIf(!hasHelm)('with helm', () => {
  const Deployment = z.object({
    kind: z.literal('Deployment'),
    spec: z.object({
      replicas: z.number(),
      template: z.object({
        metadata: z.object({ labels: z.record(z.string(), z.string()) }),
        spec: z.object({
          terminationGracePeriodSeconds: z.number(),
          containers: z.tuple([
            z.looseObject({
              env: z.array(
                z.object({
                  name: z.string(),
                  value: z.string().optional(),
                  valueFrom: z.unknown().optional(),
                }),
              ),
            }),
          ]),
        }),
      }),
    }),
  });
  const findDeployment = (objects: readonly { kind: string }[]): z.infer<typeof Deployment> =>
    Deployment.parse(objects.find(({ kind }) => kind === 'Deployment'));
  test('the chart has no faults', () => {
    expect(spawnSync('helm', ['lint', '--strict', chart], { encoding: 'utf8' })).toMatchObject({ status: 0 });
  });

  test('processes get settings that they accept, and the time that they take to stop', () => {
    const { template } = findDeployment(render({ settings: { STEWARD_KEEP_AUDIT: '10 years' } })).spec;
    const secrets = new Map([
      ['DATABASE_URL', 'postgresql://a'],
      ['STEWARD_SECRET_KEY', Buffer.alloc(32).toString('base64')],
      ['SMTP_URL', 'smtp://a'],
    ]);
    const environment = template.spec.containers[0].env.map(({ name, value }) => [
      name,
      value ?? secrets.get(name),
    ]);
    const config = readConfig(Object.fromEntries(environment));
    expect(config).toMatchObject({
      publicUrl: 'https://steward.example',
      createsSample: false,
      metrics: { host: '0.0.0.0', port: 9400 },
      logRetention: { auditDays: 3653 },
    });
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      config.stopDelaySeconds + config.stopTimeoutSeconds,
    );
  });

  test('service, budget and policy select the processes, and not the job', () => {
    const objects = render({});
    const { labels } = findDeployment(objects).spec.template.metadata;
    const selectors = JSON.stringify(objects).match(/"app.kubernetes.io\/component":"\w+"/g);
    expect(labels).toMatchObject({ 'app.kubernetes.io/component': 'server' });
    expect(new Set(selectors)).toEqual(
      new Set(['"app.kubernetes.io/component":"server"', '"app.kubernetes.io/component":"migration"']),
    );
    expect(listKinds(objects)).toEqual([
      'Deployment',
      'Job',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
  });

  test('what is turned on and off', () => {
    const objects = render({
      replicas: 1,
      publicUrl: 'https://crm.example:8443',
      persistence: { existingClaim: 'files', accessMode: 'ReadWriteOnce' },
      ingress: { enabled: true, className: 'nginx' },
      metrics: { podMonitor: { enabled: true, labels: { release: 'prometheus' } } },
      migration: { enabled: false },
      networkPolicy: { enabled: false },
    });
    expect(listKinds(objects)).toEqual(['Deployment', 'Ingress', 'PodMonitor', 'Service', 'ServiceAccount']);
    expect(objects.find(({ kind }) => kind === 'Ingress')).toMatchObject({
      spec: {
        ingressClassName: 'nginx',
        tls: [{ hosts: ['crm.example'] }],
        rules: [{ host: 'crm.example' }],
      },
    });
  });

  test.each([
    [
      'several processes on a volume for one',
      { persistence: { accessMode: 'ReadWriteOnce' } },
      'ReadWriteMany',
    ],
    ['no secret for the database', { secrets: { databaseUrl: { name: '' } } }, 'DATABASE_URL'],
  ])('%s are refused', (_name, values, message) => expect(() => render(values)).toThrow(message));
});
