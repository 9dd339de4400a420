/** What a backup holds besides the values of entries: sheets that are columns of tables, for writing and for restoring. */

/** How a column stands in a CSV: as its text, quoted, as a moment in UTC, as JSON, or as hexadecimal digits. */
type Form = 'plain' | 'text' | 'time' | 'json' | 'hex';

export interface SheetColumn {
  name: string;
  form: Form;
  /** Whose ids it holds, where another installation may have to give others. */
  of?: 'user' | 'group';
  /** Format from which on it is there; always, where nothing is said. */
  since?: number;
}

export interface TableSheet {
  /** Path in the ZIP. */
  name: string;
  /** What it is for people (contract, BackupMember). */
  kind: string;
  /** Table or view of rows with a `site_id`. */
  from: string;
  columns: readonly SheetColumn[];
  /** Whole numbers that name a row and order the sheet; without them it is short and read at once. */
  keys?: readonly string[];
  /** Columns whose values may be long. */
  heavy?: readonly string[];
  /** Whether it holds rows of entry types, of which a backup may have been asked for some. */
  byType?: boolean;
}

const plain = (...names: string[]): SheetColumn[] => names.map((name) => ({ name, form: 'plain' }));
const text = (...names: string[]): SheetColumn[] => names.map((name) => ({ name, form: 'text' }));
const time = (...names: string[]): SheetColumn[] => names.map((name) => ({ name, form: 'time' }));
const json = (...names: string[]): SheetColumn[] => names.map((name) => ({ name, form: 'json' }));
const users = (...names: string[]): SheetColumn[] =>
  names.map((name) => ({ name, form: 'plain', of: 'user' }));
const group: SheetColumn = { name: 'group_id', form: 'plain', of: 'group' };

/** Accounts as members of the site: never a password, a session, a token, a key, a link or a second factor (T24). */
const MEMBERS = `(select m.*, a.email, a.first_name, a.last_name, a.federation_id, a.home_site_id = m.site_id as is_home
    from membership m join account a on a.user_id = m.user_id)`;

/** In the order in which they are restored. */
export const SHEETS = {
  site: {
    name: 'settings.csv',
    kind: 'settings',
    from: 'site',
    columns: [
      ...text('slug', 'name', 'identity_mode', 'dedicated_domain', 'time_zone'),
      ...plain('may_manage_existing_users', 'schema_version'),
      ...time('created_at'),
      { name: 'has_agent_server', form: 'plain', since: 2 },
    ],
  },
  addresses: {
    name: 'settings/addresses.csv',
    kind: 'settings',
    from: 'approved_address',
    columns: [...text('network', 'note'), ...time('created_at')],
  },
  schedule: {
    name: 'settings/backups.csv',
    kind: 'settings',
    from: 'backup_settings',
    columns: plain('is_daily', 'hour', 'keep_days', 'include_files', 'verify'),
  },
  types: {
    name: 'schema/types.csv',
    kind: 'schema',
    from: 'entry_type',
    keys: ['type_id'],
    byType: true,
    columns: [
      ...plain('type_id'),
      ...text('api_name', 'singular_name', 'plural_name'),
      ...plain('version'),
      ...time('created_at', 'modified_at'),
    ],
  },
  fields: {
    name: 'schema/fields.csv',
    kind: 'schema',
    from: '(select * from field where deleted_at is null)',
    keys: ['type_id', 'field_id'],
    byType: true,
    columns: [
      ...plain('field_id', 'type_id'),
      ...text('api_name', 'name', 'description'),
      ...plain('kind', 'is_required', 'is_money', 'is_multi', 'is_key', 'is_searchable', 'is_date_only'),
      ...plain('is_on_form'),
      ...json('required_when'),
      ...text('formula', 'entry_lists', 'slot'),
      ...plain('version'),
      ...time('created_at', 'modified_at'),
    ],
  },
  choices: {
    name: 'schema/choices.csv',
    kind: 'schema',
    from: '(select c.*, f.type_id from choice_value c join field f using (site_id, field_id) where f.deleted_at is null)',
    keys: ['field_id', 'choice_id'],
    byType: true,
    columns: [...plain('field_id', 'choice_id'), ...text('name'), ...plain('seq', 'is_removed')],
  },
  counters: {
    name: 'schema/counters.csv',
    kind: 'schema',
    from: '(select c.*, f.type_id from field_counter c join field f using (site_id, field_id) where f.deleted_at is null)',
    keys: ['field_id'],
    byType: true,
    columns: plain('field_id', 'next'),
  },
  // Fields of which the values of a whole type are still to be calculated.
  calculations: {
    name: 'schema/calculations.csv',
    kind: 'schema',
    from: `(select j.*, f.type_id from field_job j join field f using (site_id, field_id)
      where f.deleted_at is null and job = 'calculate')`,
    keys: ['field_id'],
    byType: true,
    columns: plain('field_id'),
  },
  views: {
    name: 'settings/views.csv',
    kind: 'settings',
    from: 'saved_view',
    keys: ['view_id'],
    heavy: ['search', 'query', 'columns'],
    byType: true,
    columns: [
      ...plain('view_id', 'type_id'),
      ...users('owner_id'),
      ...text('name'),
      ...plain('is_shared'),
      ...text('search', 'query', 'sort'),
      ...json('columns'),
      ...plain('version'),
      ...time('created_at', 'modified_at'),
    ],
  },
  invitations: {
    name: 'invitations.csv',
    kind: 'invitations',
    from: '(select i.*, a.first_name, a.last_name, a.email as account_email from invitation i join account a using (user_id))',
    keys: ['invitation_id'],
    columns: [
      ...plain('invitation_id'),
      ...users('user_id'),
      ...text('account_email', 'first_name', 'last_name', 'email', 'email_key'),
      ...plain('type', 'duration_days'),
      ...text('group_ids'),
      ...plain('user_entry_id'),
      ...users('invited_by'),
      ...time('created_at', 'expires_at', 'accepted_at', 'revoked_at', 'reminded_at', 'ended_at'),
      ...plain('ended_license_type_id'),
    ],
  },
  members: {
    name: 'users.csv',
    kind: 'users',
    from: MEMBERS,
    keys: ['user_id'],
    columns: [
      ...users('user_id'),
      ...text('email', 'first_name', 'last_name', 'federation_id'),
      ...plain('is_home', 'is_active', 'two_factor_enabled', 'ip_restrictions_enabled', 'user_entry_id'),
      ...plain('version'),
      ...time('created_at'),
      ...users('created_by'),
      ...time('modified_at'),
      ...users('modified_by'),
      ...time('last_active_at', 'expires_at'),
      ...text('time_zone'),
      ...plain('invitation_id'),
    ],
  },
  licenses: {
    name: 'licenses.csv',
    kind: 'licenses',
    from: 'membership',
    keys: ['user_id'],
    columns: [...users('user_id'), ...plain('license_type_id')],
  },
  groups: {
    name: 'groups.csv',
    kind: 'groups',
    from: 'user_group',
    keys: ['group_id'],
    columns: [
      group,
      ...text('name', 'description', 'capabilities'),
      ...plain('entry_id'),
      ...time('created_at', 'modified_at'),
    ],
  },
  groupMembers: {
    name: 'groups/members.csv',
    kind: 'groups',
    from: 'group_member',
    keys: ['group_id', 'user_id'],
    columns: [group, ...users('user_id')],
  },
  proxies: {
    name: 'proxies.csv',
    kind: 'proxies',
    from: 'proxy_assignment',
    keys: ['proxy_id', 'user_id'],
    columns: [...users('proxy_id', 'user_id'), ...time('created_at'), ...users('created_by')],
  },
  changes: {
    name: 'history/entries.csv',
    kind: 'history',
    from: 'entry_change',
    keys: ['entry_id'],
    heavy: ['name', 'last_vals'],
    byType: true,
    columns: [
      ...plain('entry_id', 'type_id'),
      ...text('name'),
      ...time('created_at'),
      ...users('created_by'),
      ...time('direct_at', 'any_at'),
      ...users('modified_by'),
      ...time('deleted_at'),
      ...plain('merged_into'),
      ...json('last_vals'),
    ],
  },
  cells: {
    name: 'history/cells.csv',
    kind: 'history',
    from: 'cell_log',
    keys: ['entry_id', 'field_id', 'seq'],
    heavy: ['old', 'new'],
    byType: true,
    columns: [
      ...plain('entry_id', 'field_id', 'seq'),
      ...time('at'),
      ...plain('type_id'),
      ...json('old', 'new'),
      ...users('user_id', 'proxy_id'),
      ...plain('cause'),
    ],
  },
  waiting: {
    name: 'history/to-calculate.csv',
    kind: 'history',
    from: '(select q.site_id, q.entry_id, e.type_id from calc_queue q join entry e using (site_id, entry_id))',
    keys: ['entry_id'],
    byType: true,
    columns: plain('entry_id'),
  },
} satisfies Record<string, TableSheet>;

/** Contents of files: which there are, whether their bytes are in the backup or not. */
export const FILES: TableSheet = {
  name: 'files.csv',
  kind: 'files',
  from: 'stored_file',
  keys: ['file_id'],
  columns: [
    { name: 'file_id', form: 'plain' },
    { name: 'hash', form: 'hex' },
    { name: 'size', form: 'plain' },
    { name: 'media_type', form: 'text' },
    { name: 'created_at', form: 'time' },
  ],
};

/** People whom entries, histories or members name and who are members no more; which, the snapshot finds out. */
export const FORMER = {
  name: 'users/former.csv',
  kind: 'users',
  from: 'account',
  keys: ['user_id'],
  columns: [...users('user_id'), ...text('email', 'first_name', 'last_name')],
} satisfies TableSheet;

/** The columns that a sheet has in backups of a format. */
export const columnsOf = ({ columns }: TableSheet, format: number): readonly SheetColumn[] =>
  columns.filter(({ since = 1 }) => since <= format);

/** Where the bytes with this hash lie in a backup. */
export const filePath = (hash: Buffer): string => `files/${hash.toString('hex')}`;

/** Of which type a sheet holds the entries. */
export const entriesPath = (apiName: string): string => `entries/${apiName}.csv`;
