export { foldText } from '../../contract/rules/fold-text.ts';
