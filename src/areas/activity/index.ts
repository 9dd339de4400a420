export { parseActivityView, serializeActivityView, serializeTimestamp } from './model/view.ts';
