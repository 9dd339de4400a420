export { serializeTimestamp } from './model/view.ts';
