import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, textColumns, timeColumns, jsonColumns } from '../../kernel/backup-sheets.ts';
import { createFieldJobsTask } from './field-jobs.ts';
import { schemaHandlers } from './index.ts';

export const schemaArea = defineArea({
  name: 'schema',
  handlers: schemaHandlers,
  tasks: (context) => [createFieldJobsTask(context)],
  tables: {
    schema_stamp: { backup: { leftOut: 'tells the caches of the installation what changed' } },
    entry_type: { backup: { sheet: 'types' } },
    field: { backup: { sheet: 'fields', columnsLeftOut: ['deleted_at', 'slot_state', 'search_state'] } },
    choice_value: { backup: { sheet: 'choices' } },
    field_counter: { backup: { sheet: 'counters' } },
    schema_version: { backup: { leftOut: 'for the events of the installation' }, retention: '9 days' },
    entry_type_definition: { backup: { leftOut: 'for the events of the installation' }, retention: '9 days' },
    calculation_failure: { backup: { leftOut: 'found again when the entries are calculated' } },
    field_job: { backup: { sheet: 'calculations', columnsLeftOut: ['job', 'queued_at', 'after_id'] } },
  },
  sheets: {
    types: {
      name: 'schema/types.csv',
      kind: 'schema',
      from: 'entry_type',
      keys: ['type_id'],
      isByEntryType: true,
      columns: [
        ...plainColumns('type_id'),
        ...textColumns('api_name', 'singular_name', 'plural_name'),
        ...plainColumns('version'),
        ...timeColumns('created_at', 'modified_at'),
        { name: 'icon', format: 'text', sinceFormat: 4 },
      ],
    },
    fields: {
      name: 'schema/fields.csv',
      kind: 'schema',
      from: '(select * from field where deleted_at is null)',
      keys: ['type_id', 'field_id'],
      isByEntryType: true,
      columns: [
        ...plainColumns('field_id', 'type_id'),
        ...textColumns('api_name', 'name', 'description'),
        ...plainColumns(
          'kind',
          'is_required',
          'is_money',
          'is_multi',
          'is_key',
          'is_searchable',
          'is_date_only',
        ),
        ...plainColumns('is_on_form'),
        ...jsonColumns('required_when'),
        ...textColumns('formula', 'entry_lists', 'slot'),
        ...plainColumns('version', 'formula_max_length'),
        ...timeColumns('created_at', 'modified_at'),
      ],
    },
    choices: {
      name: 'schema/choices.csv',
      kind: 'schema',
      from: '(select c.*, f.type_id from choice_value c join field f using (site_id, field_id) where f.deleted_at is null)',
      keys: ['field_id', 'choice_id'],
      isByEntryType: true,
      columns: [
        ...plainColumns('field_id', 'choice_id'),
        ...textColumns('name'),
        ...plainColumns('seq', 'is_removed'),
      ],
    },
    counters: {
      name: 'schema/counters.csv',
      kind: 'schema',
      from: '(select c.*, f.type_id from field_counter c join field f using (site_id, field_id) where f.deleted_at is null)',
      keys: ['field_id'],
      isByEntryType: true,
      columns: plainColumns('field_id', 'next'),
    },
    // Fields whose values are still to be calculated for all entries.
    calculations: {
      name: 'schema/calculations.csv',
      kind: 'schema',
      from: `(select j.*, f.type_id from field_job j join field f using (site_id, field_id)
      where f.deleted_at is null and job = 'calculate')`,
      keys: ['field_id'],
      isByEntryType: true,
      columns: plainColumns('field_id'),
    },
  },
  auditActions: {
    entryType: ['entryType.create', 'entryType.delete', 'entryType.update'],
    field: ['field.create', 'field.delete', 'field.update'],
  },
});
