import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Remote } from 'comlink';
import { FileSpreadsheet } from 'lucide-react';
import type { UserImport } from '../../../../contract/generated/types.gen.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { HEADINGS } from '../../../../contract/rules/tables/user-columns.ts';
import { startUserImport } from '../../../api/generated/sdk/jobs.gen.ts';
import { getUsersByIds } from '../../../api/generated/sdk/users.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { BillableDelta } from '../../../directory/BillableDelta.tsx';
import { useDirectory, findAllIds, readDirectoryRows } from '../../../directory/directory.ts';
import { ALL_USERS_QUERY } from '../../../directory/engine/directory-query.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { saveFile } from '../../../files/download.ts';
import { assignColumn, getDuplicateNote } from '../../../files/import-plan/file-columns.ts';
import type { OpenedFile } from '../../../files/import-plan/plan-store.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { ReadOptions } from '../../../files/table/table.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import {
  ChooseFile,
  PrepareImport,
  ColumnRow,
  FileSummary,
  usePreparation,
} from '../../import-view/index.ts';
import type { ImportTarget, Prepared, FileSession } from '../../import-view/index.ts';
import { openWorkerClient } from '../../import/index.ts';
import type { ImportDescription } from '../../import/index.ts';
import { FIELDS, getIgnoredReason, guessMapping } from './fields.ts';
import type { Field, Mapping } from './fields.ts';
import { changesSignIn, toImportRow } from './import-row.ts';
import type { ImportOptions, MissingCapabilities, KnownUser, RowWork } from './plan.ts';
import type { createRowChecker, CheckedUsers, CheckRequest } from './row-checker.ts';
import { loadUngrantableGroups } from './ungrantable-groups.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

const DESCRIPTION: ImportDescription = {
  nouns: ['person', 'people'],
  labels: HEADINGS,
  detailLabel: HEADINGS.email,
};
const TARGET: ImportTarget = {
  kind: 'users.import',
  createUpload(plans) {
    // Rows planned for users hold their work.
    const items = plans.map((plan) => toImportRow(plan as ImportRowPlan<RowWork>));
    return {
      items,
      async start(file) {
        // Rows that can be imported do not wait for those that others have changed in the meantime.
        const body: UserImport = { ...file, uploadsItems: true, skipsInvalidRows: true };
        if (changesSignIn(items)) body.changesSignIn = true;
        return (await startUserImport({ body })).data;
      },
    };
  },
};
const PAGE_PROPS = { title: 'Import users', subject: 'Person' };

/** Page for importing users from a file. */
export function ImportPage() {
  const preparation = useUserPreparation();
  const { error, size } = useDirectory();
  // Rows are compared with all users; without access to users nothing can be imported.
  if (error?.status === 403 && size === undefined) throw error;
  const { stage } = preparation;
  if (stage.status === 'ready') return <Prepare key={stage.id} prepared={stage} preparation={preparation} />;
  return (
    <ChooseFile
      preparation={preparation}
      title={PAGE_PROPS.title}
      meta="Create and change many records from a file"
      row="One person"
      actions={
        <Button size="small" icon={FileSpreadsheet} onClick={saveTemplate}>
          Download the template
        </Button>
      }
    />
  );
}

interface PrepareProps {
  prepared: PreparedUsers;
  preparation: ReturnType<typeof useUserPreparation>;
}

function Prepare({ prepared, preparation }: PrepareProps) {
  const { change, readAs, discard } = preparation;
  const check = useCheck(prepared);
  return (
    <PrepareImport
      {...PAGE_PROPS}
      {...{ prepared, check }}
      description={DESCRIPTION}
      target={TARGET}
      blockedBy={useBlockedBy(prepared)}
      effect={check.data && <BillableDelta delta={check.data.billableDelta} />}
    >
      <ColumnsCard
        prepared={prepared}
        onChange={change}
        onReadAs={(part) => void readAs(part)}
        onDiscard={discard}
      />
    </PrepareImport>
  );
}

/** Shown instead of the rows until they can be compared with all users. */
function useBlockedBy({ setup }: PreparedUsers) {
  const { complete, size = 0 } = useDirectory();
  if (!complete)
    return (
      <Banner tone="info" title="People are still loading">
        {formatNumber(size)} people loaded so far. Rows are compared once all are loaded.
      </Banner>
    );
  return identifiesUsers(setup.mapping) ? undefined : null;
}

/** Saves a template with all columns and two example users. */
function saveTemplate(): void {
  const { id: _, ...columns } = HEADINGS;
  saveFile(
    'users-template.csv',
    formatCsv([
      Object.values(columns),
      [
        'ann.example@company.example',
        'Ann',
        'Example',
        'Active',
        'Standard',
        '',
        'No',
        'No',
        'Europe/Lisbon',
        '',
      ],
      ['ben.example@company.example', 'Ben', 'Example', 'Inactive', 'No License', '', 'No', 'No', '', ''],
    ]),
  );
}

interface ColumnsCardProps {
  prepared: PreparedUsers;
  onChange: (part: Partial<UserImportSetup>) => void;
  onReadAs: (part: ReadOptions) => void;
  onDiscard: () => void;
}

/** Second step: the field of each column. */
function ColumnsCard({ prepared, onChange, onReadAs, onDiscard }: ColumnsCardProps) {
  const { file, setup } = prepared;
  const { mapping, options } = setup;
  const { headings, samples } = file;
  const ignored = mapping.filter((field) => field === undefined).length;
  const choose = (at: number, field: Field | undefined) =>
    onChange({
      mapping: assignColumn(mapping, at, field),
    });
  return (
    <Card
      title="2. Columns"
      actions={
        <Button size="small" onClick={onDiscard}>
          Choose another file
        </Button>
      }
    >
      <CardBody>
        <div className="import-columns-head">
          <FileSummary {...{ prepared, ignoredCount: ignored, onReadAs }} />
          {!identifiesUsers(mapping) && (
            <Banner tone="bad" title="Choose the column with the e-mail address or the id">
              Rows are matched to people by one of them.
            </Banner>
          )}
        </div>
        <ul className="import-columns">
          {headings.map((heading, at) => (
            // Columns have no identity but their place; headings may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at}>
              <Column
                heading={heading === '' ? `Column ${formatNumber(at + 1)}` : heading}
                sample={
                  (mapping[at] === undefined ? getDuplicateNote(headings, at) : undefined) ??
                  samples[at] ??
                  ''
                }
                field={mapping[at]}
                onChoose={(field) => choose(at, field)}
              />
            </li>
          ))}
        </ul>
        {mapping.includes('groups') && <GroupOptions choices={options} onChange={onChange} />}
        <p className="field-hint">
          An empty cell changes nothing. Two-factor authentication and approved addresses can be turned on,
          not off.
        </p>
      </CardBody>
    </Card>
  );
}

interface ColumnProps {
  heading: string;
  sample: string;
  field: Field | undefined;
  onChoose: (field: Field | undefined) => void;
}

function Column({ heading, sample, field, onChoose }: ColumnProps) {
  const because = field === undefined ? getIgnoredReason(heading) : undefined;
  return (
    <ColumnRow
      heading={heading}
      note={because ?? sample}
      value={field ?? ''}
      onChoose={(value) => onChoose(FIELDS.find((one) => one === value))}
      options={FIELDS.map((one) => ({ value: one, label: HEADINGS[one] }))}
    />
  );
}

const GROUP_OPTIONS: readonly { value: ImportOptions['groups']; label: string }[] = [
  { value: 'add', label: 'Add to existing groups' },
  { value: 'exact', label: 'Replace existing groups; rows without groups change none' },
];

function GroupOptions({
  choices,
  onChange,
}: {
  choices: ImportOptions;
  onChange: ColumnsCardProps['onChange'];
}) {
  return (
    <fieldset className="import-groups">
      <legend className="field-label">Groups in the file</legend>
      {GROUP_OPTIONS.map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name="import-groups"
            checked={choices.groups === value}
            onChange={() => onChange({ options: { ...choices, groups: value } })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

interface UserImportSetup {
  mapping: Mapping;
  options: ImportOptions;
}

type PreparedUsers = Prepared<UserFileSession, UserImportSetup>;

/** Prepares a file of users for import. */
function useUserPreparation() {
  const { site } = useSession();
  // An identity manager manages federation ids (spec 2.1).
  const without = site.identityMode === 'identity-manager' ? 'federationId' : undefined;
  return usePreparation<UserFileSession, UserImportSetup>(openSession, ({ headings }: OpenedFile) => ({
    mapping: guessMapping(headings).map((field) => (field === without ? undefined : field)),
    options: { groups: 'add' },
  }));
}

/** Plans for the rows; updated when columns, options or users change. */
function useCheck({ id, session, setup: { mapping, options } }: PreparedUsers) {
  const { groups, version, complete } = useDirectory();
  const { user, capabilities } = useSession();
  const missingCapabilities = useMissingCapabilities();
  const names = groups.map(({ id: groupId, name }) => ({ id: groupId, name }));
  return useQuery({
    // The key is unique to this tab, which holds the file.
    queryKey: ['import-check', id, mapping, options, missingCapabilities, capabilities, names, version],
    queryFn: ({ client, signal }) =>
      session.check(
        { mapping, options, missingCapabilities, ownUserId: user.id, groups: names },
        version,
        (groupIds) => loadUngrantableGroups(client, capabilities, groupIds),
        signal,
      ),
    enabled: complete && identifiesUsers(mapping),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

/** Whether rows can be matched to users: by e-mail or id. */
const identifiesUsers = (mapping: Mapping): boolean => mapping.includes('email') || mapping.includes('id');

function useMissingCapabilities(): MissingCapabilities {
  return {
    create: usePermission('createUser').reason,
    update: usePermission('updateUser').reason,
    license: usePermission('updateUserLicense').reason,
    assign: usePermission('assignGroups').reason,
    unassign: usePermission('unassignGroups').reason,
  };
}

type RowChecker = ReturnType<typeof createRowChecker>;

/** Loads the groups that the importer cannot grant, with the missing capabilities. */
type LoadUngrantableGroups = (groupIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** Connection to the worker that holds a file of users. */
interface UserFileSession extends FileSession {
  /** Checks all rows; a changed `version` sends the users again. */
  check: (
    request: CheckRequest,
    version: number,
    loadGroups: LoadUngrantableGroups,
    signal: AbortSignal,
  ) => Promise<CheckedUsers>;
}

// Small enough that sending a chunk does not block the page.
const DIRECTORY_CHUNK_SIZE = 500;
// Limit of the operation.
const MAX_USER_IDS_PER_REQUEST = 1000;
const ALL_BY_ID = { ...ALL_USERS_QUERY, sort: { by: 'id', descending: false } } as const;

function openSession(): UserFileSession {
  const { remote, open, close, runExclusive } =
    openWorkerClient<ReturnType<typeof createRowChecker>>(workerUrl);
  let sentVersion: number | undefined;

  async function check(
    request: CheckRequest,
    version: number,
    loadGroups: LoadUngrantableGroups,
  ): Promise<CheckedUsers> {
    if (version !== sentVersion) await sendUsers(remote);
    sentVersion = version;
    await sendFederationIds(remote, request);
    const counts = await remote.check(request);
    // Capabilities are read with one request per group (shapes 2), only for groups that the rows change.
    const ungrantableGroups = await loadGroups(await remote.getChangedGroupIds());
    return ungrantableGroups.size === 0 ? counts : remote.check(request, ungrantableGroups);
  }

  return {
    client: remote,
    open,
    close,
    check: (request, version, loadGroups, signal) =>
      runExclusive(() => check(request, version, loadGroups), signal),
  };
}

async function sendUsers(client: Remote<RowChecker>): Promise<void> {
  const ids = await findAllIds(ALL_BY_ID);
  await client.addPeople([], true);
  const portion = (at: number) => readDirectoryRows(ids.subarray(at, at + DIRECTORY_CHUNK_SIZE));
  let next = portion(0);
  for (let at = DIRECTORY_CHUNK_SIZE; at < ids.length + DIRECTORY_CHUNK_SIZE; at += DIRECTORY_CHUNK_SIZE) {
    // A portion at a time: all at once would stop the page. The next one is fetched while this one is taken in.
    const rows = await next;
    next = portion(at);
    await client.addPeople(rows.map(toKnownUser), false);
  }
}

function toKnownUser(row: DirectoryRow): KnownUser {
  const { id, email, firstName, lastName, isActive, licenseTypeId, groups, timeZone } = row;
  const { twoFactor, approvedAddresses } = row;
  return {
    id,
    email,
    firstName,
    lastName,
    isActive,
    licenseTypeId,
    groups,
    twoFactor,
    approvedAddresses,
    timeZone,
  };
}

async function sendFederationIds(client: Remote<RowChecker>, request: CheckRequest): Promise<void> {
  const ids = await client.getUsersWithoutFederationId(request);
  for (let at = 0; at < ids.length; at += MAX_USER_IDS_PER_REQUEST) {
    // A thousand at once, one request after the other.
    const { data } = await getUsersByIds({ body: ids.slice(at, at + MAX_USER_IDS_PER_REQUEST) });
    await client.addFederationIds(data.map(({ id, federationId }) => [id, federationId ?? '']));
  }
}
