export { formatConfigurationAction, KIND_LABELS } from './configuration/configuration-format.ts';
export { ConflictBanner } from './configuration/ConflictBanner.tsx';
export { SchemaChangesCard } from './configuration/SchemaChangesCard.tsx';
export { serializeTimestamp } from './model/view.ts';
