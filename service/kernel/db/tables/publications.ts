/** Tables of publications (migrations/0028_publications.ts). */
import type { Generated, JSONColumnType } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

/** Entry types of a custom topic; without `fieldIds` all fields of the type. */
export interface StoredTopicType {
  entryTypeId: number;
  fieldIds?: readonly number[];
}

interface TopicDefinitionTable {
  site_id: number;
  topic_id: number;
  format: 'Rows' | 'Cells';
  entry_types: JSONColumnType<readonly StoredTopicType[]>;
  version: Generated<number>;
  source_next: number;
  created_at: Timestamp;
  modified_at: Timestamp;
}

interface PublicationConsumerTable {
  site_id: number;
  topic_id: number;
  client_id: number;
  next: number;
  poll_id: Nullable<string>;
  polled_at: Nullable<Date>;
  acknowledged_at: Nullable<Date>;
  lost_events: Generated<number>;
  lost_at: Nullable<Date>;
  created_at: Timestamp;
}

export interface PublicationTables {
  topic_definition: TopicDefinitionTable;
  publication_consumer: PublicationConsumerTable;
}
