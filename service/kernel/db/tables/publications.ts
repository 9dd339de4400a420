/**
 * Tables of publications (migrations/0028_publications.ts, 0030_destinations.ts,
 * 0031_jetstream_destinations.ts, 0031_subscriber_limits.ts, 0068_topic_batches.ts).
 */
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
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

interface TopicDefinitionHistoryTable {
  site_id: number;
  topic_id: number;
  version: number;
  format: 'Rows' | 'Cells';
  entry_types: JSONColumnType<readonly StoredTopicType[]>;
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

interface PublicationDestinationTable {
  site_id: number;
  destination_id: GeneratedAlways<number>;
  topic_id: number;
  name: string;
  kind: Generated<'Webhook' | 'JetStream'>;
  url: string;
  subject: Nullable<string>;
  secret: Nullable<Buffer>;
  next: number;
  is_enabled: Generated<boolean>;
  failures: Generated<number>;
  failing_since: Nullable<Date>;
  next_attempt_at: Timestamp;
  disabled_reason: Nullable<string>;
  lease_until: Nullable<Date>;
  fence: Generated<number>;
  version: Generated<number>;
  created_at: Timestamp;
  lost_events: Generated<number>;
  lost_at: Nullable<Date>;
}

interface DeliveryAttemptTable {
  site_id: number;
  destination_id: number;
  attempt_id: GeneratedAlways<number>;
  off: number;
  event_id: string;
  at: Timestamp;
  address: Nullable<string>;
  duration_ms: number;
  status: Nullable<number>;
  detail: string;
}

interface PublicationSubscriberTable {
  site_id: number;
  client_id: number;
  topics: JSONColumnType<readonly { topicId: number; entryTypes?: readonly StoredTopicType[] }[]>;
  modified_at: Timestamp;
}

export interface PublicationTables {
  publication_subscriber: PublicationSubscriberTable;
  publication_destination: PublicationDestinationTable;
  delivery_attempt: DeliveryAttemptTable;
  topic_definition: TopicDefinitionTable;
  topic_definition_history: TopicDefinitionHistoryTable;
  publication_consumer: PublicationConsumerTable;
}
