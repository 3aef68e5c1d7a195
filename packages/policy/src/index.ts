/**
 * The safety policy of exec blocks, and nothing else.
 *
 * For task policies, see packages/net/src/policy.ts. For what a cell may do, see packages/kernels/src/cell-denials.ts.
 */
export { extendRules } from './extend-rules.ts';
export { type Block, type Judgement, joinJudgements, judgeBlock } from './judge-block.ts';
export { DEFAULT_RULES, type Rule, type Rules } from './rules.ts';
