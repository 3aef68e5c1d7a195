export { buildSite, type Site, type Sources } from './build-site.ts';
