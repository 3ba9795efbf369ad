/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_style.c: the page's style.
 */
#include "report_int.h"

const char *const report_style[] = {
    ":root{color-scheme:light dark;--ink:#22262b;--soft:#5b636c;--paper:#fcfcfa;--line:#dadad4;--mark:#24618f;"
    "--gap:#e3e3df;--bad:#a3261c}\n",
    "@media(prefers-color-scheme:dark){:root{--ink:#e7e6e2;--soft:#a6abb1;--paper:#15181b;--line:#363b41;"
    "--mark:#83bce4;--gap:#30353a;--bad:#ff9b8f}}\n",
    "*{box-sizing:border-box}\n",
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:78rem;margin:0 auto;"
    "padding:1.2rem}\n",
    "h1,h2,h3,h4{font-family:Charter,Georgia,serif;font-weight:600;line-height:1.2;overflow-wrap:anywhere}\n",
    "h1{font-size:2rem;margin:.3rem 0}h2{font-size:1.5rem;margin:3rem 0 .5rem}h3{font-size:1.3rem;margin:0;"
    "display:inline}\n",
    "h4{font-size:1.1rem;margin:2rem 0 .5rem;color:var(--soft)}\n",
    "a{color:var(--mark);text-decoration-thickness:1px;text-underline-offset:.15em}p{margin:.5rem 0;"
    "overflow-wrap:anywhere}\n",
    ".soft,small,figcaption,.long,.dims,.units,.bytes{color:var(--soft)}.bad{color:var(--bad)}small,.soft,figcaption{"
    "font-size:.85rem}\n",
    "table{border-collapse:collapse}th{text-align:left;font-weight:600;vertical-align:top}td{vertical-align:top;"
    "overflow-wrap:anywhere}\n",
    ".overview{width:100%;margin:1.2rem 0;font-size:.9rem;line-height:1.35}\n",
    ".overview td,.overview th{padding:.45rem .9rem .45rem 0;vertical-align:middle}.overview tr>:last-child{"
    "padding-right:0;text-align:right}\n",
    ".overview tbody tr{border-top:1px solid var(--line)}.overview thead th{font-weight:400;color:var(--soft);"
    "font-size:.8rem;padding-bottom:.2rem}\n",
    ".overview .part th{font-family:Charter,Georgia,serif;color:var(--soft);padding-top:1.1rem;text-align:left}"
    ".overview .part{border:0!important}\n",
    ".overview .pic{width:84px;padding-right:1rem;line-height:0}.dims span,.bytes{white-space:nowrap}.range,.bytes{"
    "font-variant-numeric:tabular-nums}\n",
    ".overview th[scope=row]{min-width:8.5rem;overflow-wrap:anywhere}.overview .long{min-width:7.5rem}.overview "
    ".units{min-width:7.2rem}.overview .range{min-width:8rem}\n",
    ".small{width:84px;height:auto;max-height:70px;image-rendering:pixelated;background:var(--gap);border-radius:2px}"
    "\n",
    ".spark{display:block;width:84px}\n",
    "summary{cursor:pointer;overflow-wrap:anywhere}summary::marker{color:var(--soft)}\n",
    ".var{border-top:1px solid var(--line);padding:.9rem 0}.var>summary:hover h3{color:var(--mark)}\n",
    ".parts{padding:.6rem 0 1rem;scroll-margin-top:4rem}.side details{margin:.6rem 0;font-size:.9rem}\n",
    ".side details>summary,.atts>summary{color:var(--soft)}.var>summary{color:var(--soft)}.var h3{color:var(--ink)}"
    "section>.atts{margin-bottom:1.5rem}\n",
    ".atts th,.stored th,.stats th{padding:.1rem 1rem .1rem 0;min-width:8rem;font-weight:400;color:var(--soft);"
    "overflow-wrap:anywhere}.atts td{white-space:pre-wrap}\n",
    ".stats th{min-width:5.5rem!important}.stats td{font-variant-numeric:tabular-nums}.one{font-size:1.3rem}\n",
    "code{font-size:.8rem}figure{margin:0}\n",
    ".chart{position:relative}.picture .f2{fill:none}.hist{max-width:24rem}\n",
    ".chart .pic{position:absolute;inset:var(--w);background:var(--gap);overflow:hidden;touch-action:pan-y "
    "pinch-zoom;"
    "cursor:crosshair}.chart .lines{background:none}.narrow{display:none}\n",
    ".chart .pic>*{position:absolute;inset:0;width:100%;height:100%;image-rendering:pixelated;pointer-events:none}\n",
    ".on:after{content:\"\";position:absolute;left:var(--x);top:0;bottom:0;border-left:1px solid var(--soft)}\n",
    ".net,.coast{fill:none;vector-effect:non-scaling-stroke}.net{stroke-dasharray:1 3;opacity:.9}.earth "
    "use{stroke:#000;stroke-opacity:.75;"
    "stroke-width:1}\n",
    ".earth .halo{stroke:#fff;stroke-opacity:.4;stroke-width:2.6}.defs{position:absolute;width:0;height:0}\n",
    ".slider{display:flex;gap:.8rem;align-items:center;flex-wrap:wrap;font-size:.9rem;margin:.3rem 0}.slider input{"
    "flex:1;min-width:8rem;max-width:24rem;accent-color:var(--mark)}\n",
    ".at{font-weight:600;font-variant-numeric:tabular-nums}output{display:block;text-align:right;min-height:"
    "1.3rem;font-size:.85rem;color:var(--soft)}\n",
    ".legend{list-style:none;padding:0;margin:.6rem 0;display:flex;flex-wrap:wrap;gap:.2rem "
    "1.2rem;font-size:.9rem}\n",
    ".legend i{display:inline-block;width:.9rem;height:.9rem;margin-right:.4rem;vertical-align:-.1rem;"
    "border-radius:2px;print-color-adjust:exact}\n",
    ".chunks{max-width:100%;height:auto;image-rendering:pixelated}footer{border-top:1px solid var(--line);"
    "margin-top:2rem}[hidden]{display:none!important}\n",
    "@media(min-width:60rem){.parts{display:grid;grid-template-columns:minmax(0,1.8fr) minmax(0,1fr);gap:0 2.5rem}"
    ".side:first-child{grid-column:1/-1}}\n",
    "@media(max-width:40rem){.chart "
    ".pic{inset:var(--n)}.narrow{display:block}.wide{display:none}h1{font-size:1.6rem}body{padding:.9rem}}\n",
    "@media(min-width:40.01rem) and (max-width:56rem){.overview tbody{display:grid!important;"
    "grid-template-columns:1fr 1fr;gap:0 2rem}.overview .part{grid-column:1/-1}}\n",
    "@media(max-width:56rem){\n",
    ".overview thead{display:none}.overview,.overview tbody{display:block}.overview tr{display:grid;"
    "grid-template-columns:84px minmax(0,1fr) auto;gap:0 .9rem;padding:.7rem 0}\n",
    ".overview td,.overview th,.overview .pic{padding:0!important;min-width:0!important;text-align:left!important;"
    "align-self:start}.overview .pic{grid-area:1/1/7/2}.overview th{grid-area:1/2}.overview .bytes{grid-area:1/3}\n",
    ".overview .long,.overview .dims{grid-column:2/4}.overview .dims{grid-row:3}.overview .range{grid-area:4/2}"
    ".overview .units{grid-area:4/3;max-width:9rem}.overview .bytes,.overview .units{text-align:right!important}"
    ".overview .part{display:block}.overview td:empty{display:none}}\n",
    "@media print{body{max-width:none}.slider input,output{display:none}figure,.overview tr{break-inside:avoid}}\n",
    NULL};
