(function () {
	'use strict';
	var root = document.documentElement;
	root.classList.add('js');
	function each(selector, f) { Array.prototype.forEach.call(document.querySelectorAll(selector), f); }

	// The address: #target, #q=filter, or #target&q=filter.
	function state() {
		var s = { target: '', q: '' };
		location.hash.slice(1).split('&').forEach(function (part) {
			if (part.slice(0, 2) !== 'q=') { s.target = s.target || part; return; }
			try { s.q = decodeURIComponent(part.slice(2)); } catch (e) { s.q = ''; }
		});
		return s;
	}
	function keep(s) {
		var parts = [];
		if (s.target) { parts.push(s.target); }
		if (s.q) { parts.push('q=' + encodeURIComponent(s.q)); }
		try {
			history.replaceState(null, '', location.href.split('#')[0] + (parts.length ? '#' + parts.join('&') : ''));
		} catch (e) { /* a browser may limit how often: the next letter does it */ }
	}

	// Rows are hidden that do not have all words of the filter.
	var filter = document.getElementById('filter'), shown = document.getElementById('shown'), rows = [];
	each('tbody tr', function (tr) { rows.push({ tr: tr, text: '' }); });
	function apply(q) {
		var words = q.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
		rows.forEach(function (r) {
			if (words.length && !r.text) {
				r.text = Array.prototype.map.call(r.tr.cells, function (c) { return c.textContent; }).join(' ').toLowerCase();
			}
			var ok = words.every(function (w) { return r.text.indexOf(w) >= 0; });
			r.tr.hidden = !ok;
			n += ok ? 1 : 0;
		});
		shown.textContent = words.length ? n + ' of ' + rows.length + ' rows' : '';
	}
	filter.addEventListener('input', function () {
		var s = state();
		s.q = filter.value;
		keep(s);
		apply(s.q);
	});

	function go() {
		var s = state(), at = document.getElementById(s.target);
		filter.value = s.q;
		apply(s.q);
		each('tr.target', function (tr) { tr.classList.remove('target'); });
		if (!at) { return; }
		for (var e = at; e; e = e.parentElement) { if (e.tagName === 'DETAILS') { e.open = true; } }
		if (at.tagName === 'TR') { at.classList.add('target'); }
		at.scrollIntoView({ block: at.tagName === 'TR' ? 'center' : 'start' });
	}
	window.addEventListener('hashchange', go);

	// Columns are sorted by the buttons in their heads.
	var order = new Intl.Collator('en', { numeric: true });
	function value(cell, numeric) {
		if (!cell) { return numeric ? NaN : ''; }
		if (!numeric) { return cell.textContent; }
		return Number(cell.dataset.v === undefined ? cell.textContent.replace(/,/g, '') : cell.dataset.v.replace('Inf', 'Infinity'));
	}
	function compare(a, b, numeric, sign) {
		if (!numeric) { return sign * order.compare(a, b); }
		if (isNaN(a) || isNaN(b)) { return isNaN(a) - isNaN(b); }
		return sign * (a < b ? -1 : a > b ? 1 : 0);
	}
	function sort(table, th, column) {
		var numeric = th.classList.contains('n'), body = table.tBodies[0];
		var sign = th.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
		Array.prototype.forEach.call(th.parentElement.cells, function (c) { c.removeAttribute('aria-sort'); });
		th.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
		Array.prototype.map.call(body.rows, function (tr) { return { tr: tr, v: value(tr.cells[column], numeric) }; })
			.sort(function (a, b) { return compare(a.v, b.v, numeric, sign); })
			.forEach(function (r) { body.appendChild(r.tr); });
	}
	each('table', function (table) {
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th, column) {
			var button = document.createElement('button');
			button.type = 'button';
			button.textContent = th.textContent;
			th.textContent = '';
			th.appendChild(button);
			button.addEventListener('click', function () { sort(table, th, column); });
		});
	});

	function say(button, text) {
		var before = button.dataset.label || button.textContent;
		button.dataset.label = before;
		button.textContent = text;
		setTimeout(function () { button.textContent = before; }, 1500);
	}
	function select(pre) {
		var range = document.createRange();
		range.selectNodeContents(pre);
		getSelection().removeAllRanges();
		getSelection().addRange(range);
	}
	each('[data-copy]', function (button) {
		var pre = button.parentElement.querySelector('pre');
		function byHand() {
			select(pre);
			say(button, document.execCommand('copy') ? 'Copied' : 'Selected');
		}
		button.addEventListener('click', function () {
			if (!navigator.clipboard) { byHand(); return; }
			navigator.clipboard.writeText(pre.textContent).then(function () { say(button, 'Copied'); }, byHand);
		});
	});
	// The data behind a link is compressed. A browser that can unpack it saves it so.
	function save(name, blob) {
		var link = document.createElement('a');
		link.href = URL.createObjectURL(blob);
		link.download = name;
		link.click();
		setTimeout(function () { URL.revokeObjectURL(link.href); }, 10000);
	}
	each('a[download]', function (link) {
		if (typeof DecompressionStream === 'undefined') { return; }
		link.addEventListener('click', function (event) {
			event.preventDefault();
			var packed = atob(link.getAttribute('href').split(',')[1]), bytes = new Uint8Array(packed.length);
			for (var i = 0; i < packed.length; i++) { bytes[i] = packed.charCodeAt(i); }
			new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).blob()
				.then(function (blob) { save(link.download.replace(/\.gz$/, ''), blob); });
		});
	});

	// The theme is the system's until it is chosen.
	var theme = document.querySelector('button[data-theme]'), themes = ['auto', 'light', 'dark'];
	function wear(name) {
		if (name === 'auto') { root.removeAttribute('data-theme'); } else { root.setAttribute('data-theme', name); }
		theme.textContent = 'Theme: ' + name;
		theme.value = name;
	}
	theme.addEventListener('click', function () {
		var name = themes[(themes.indexOf(theme.value) + 1) % themes.length];
		wear(name);
		try { localStorage.setItem('certify-theme', name); } catch (e) { /* nothing to remember it in */ }
	});
	var chosen = 'auto';
	try { chosen = localStorage.getItem('certify-theme'); } catch (e) { /* as the system */ }
	wear(themes.indexOf(chosen) > 0 ? chosen : 'auto');

	window.addEventListener('beforeprint', function () { each('details', function (d) { d.open = true; }); });
	go();
}());
