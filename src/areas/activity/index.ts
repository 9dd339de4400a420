export { formatConfigurationAction, KIND_LABELS } from './configuration/configuration-format.ts';
export { SchemaChangesCard } from './configuration/SchemaChangesCard.tsx';
export { serializeTimestamp } from './model/view.ts';
