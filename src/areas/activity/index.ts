export {
  findShortChange,
  formatConfigurationAction,
  KIND_LABELS,
} from './configuration/configuration-format.ts';
export { SchemaChangesCard } from './configuration/SchemaChangesCard.tsx';
export { BeforeAfter } from './pages/ChangeParts.tsx';
export { serializeTimestamp } from './model/view.ts';
