export { SchemaChangesCard } from './configuration/SchemaChangesCard.tsx';
export { serializeTimestamp } from './model/view.ts';
