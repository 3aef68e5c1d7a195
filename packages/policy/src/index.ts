export { extendRules } from './extend-rules.ts';
export { type Block, type Judgement, joinJudgements, judgeBlock } from './judge-block.ts';
export { DEFAULT_RULES, type Rule, type Rules } from './rules.ts';
